internal import OrgKit
internal import SyncKit

/// Captures that the desktop has filed in another file.
extension MobileState {
  /// Returns the state without the captures of the inbox that a pushed file contains, so that each of them stands once. Pure.
  ///
  /// Only a capture with a line with the time when it was made is recognized: without one, the other entry may be an older one with
  /// the same words.
  func withoutCaptures(filedIn file: Bytes, inbox: SyncPath, todoLines: [String]) -> MobileState {
    guard var overlay = overlays[inbox], overlay.isPulled, !overlay.isRemoved else { return self }
    let document = { OrgDocument($0, todoKeywords: todoLines) }
    let own = Set(document(overlay.staged ?? []).topLevelEntries.map(CaptureKey.init))
    let captures = document(overlay.sent).topLevelEntries.filter {
      $0.hasTimeOfCapture && !own.contains(CaptureKey($0))
    }
    guard !captures.isEmpty else { return self }
    let filed = Set(document(file).entries.map(CaptureKey.init))
    for capture in captures.reversed() where filed.contains(CaptureKey(capture)) {
      overlay.sent.removeSubrange(capture.subtree.startIndex..<capture.subtree.endIndex)
    }
    if overlay.sent.isEmpty { overlay.sent = [UInt8(ascii: "\n")] }
    overlay.desktop = overlay.sent
    var state = self
    state.overlays[inbox] = overlay.sent == overlay.staged ? nil : overlay
    return state
  }
}

/// What makes two entries the same capture: the lines of all their entries, at whatever level.
private struct CaptureKey: Hashable {
  private let lines: [Bytes]

  init(_ entry: OrgEntry) {
    lines = Bytes(entry.subtree).textLines.filter { !$0.isBlank }.map { line in
      let text = line.headingLevel == nil ? line[...] : line.drop { $0 == UInt8(ascii: "*") }
      return Bytes(text).trimmed
    }
  }
}

extension OrgEntry {
  /// True if a line is the time when the entry was made: `[2026-01-14 Wed 08:01]`.
  fileprivate var hasTimeOfCapture: Bool {
    text.textLines.contains { line in
      let line = line.trimmed
      guard line.first == UInt8(ascii: "["), let stamp = OrgTimestamp(line.string) else { return false }
      return stamp.time != nil
    }
  }
}
