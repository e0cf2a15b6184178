internal import OrgKit
internal import SyncKit

/// A capture file that is being applied: its content, and each affected file of the staging area before and after.
///
/// It is recorded in the journal before anything is written. Every step can be repeated: a file that already has its new
/// content stays unchanged, and only the applied parts are removed from the capture file.
struct Intake: Hashable, Sendable {
  struct File: Hashable, Sendable {
    var old: Bytes?
    var new: Bytes
  }

  var taken: Bytes
  var files: [SyncPath: File]
  /// True if the files are written, so that only the capture file remains.
  var isWritten = false

  /// Applies a capture file, as `org-mobile-apply` does. Pure.
  /// - Parameters:
  ///   - capture: the capture file that phones wrote.
  ///   - staged: all Org files of the area.
  ///   - inbox: the file for captures, and for edits that fail, with the reason.
  ///   - known: the note IDs that were applied before, which an old capture file may contain.
  ///   - time: the time for stamps, `2026-01-15 09:00:00`.
  init(
    _ capture: Bytes, staged: [SyncPath: Bytes], inbox: SyncPath, todoLines: [String], known: Set<NoteID>, time: String
  ) {
    taken = capture
    let parts = CaptureFile(capture).parts.filter { part in !part.ids.contains(where: known.contains) }
    // Org's default priorities, which the index lists for phones.
    let priorities = UInt8(ascii: "A")...UInt8(ascii: "C")
    var files = OrgFiles(staged.filter { $0.key != inbox }, todoLines: todoLines, priorities: priorities)
    files.now = OrgTimestamp("<\(time.dropLast(3))>").map { String($0.description.dropFirst().dropLast()) }
    var notes: Bytes = []
    for piece in CaptureReader(parts.flatMap(\.bytes)).pieces {
      switch piece {
      case .text(let text): notes += text
      case .unknown: break
      case .bad(let text): notes += Bytes("BAD FLAG ".utf8) + text
      case .edit(let edit, let text):
        do { try Self.carryOut(edit, on: &files) } catch { notes += Self.failed(text, error.message) }
      }
    }
    self.files = [:]
    for (path, document) in files.documents where document.bytes != staged[path] {
      self.files[path] = File(old: staged[path], new: StampLine.stamped(document.bytes, time))
    }
    if !notes.isBlank {
      let old = staged[inbox]
      let gap: Bytes = (old?.isEmpty ?? true) || old?.last == UInt8(ascii: "\n") ? [] : [UInt8(ascii: "\n")]
      self.files[inbox] = File(old: old, new: (old ?? []) + gap + notes)
    }
  }

  /// Applies an edit. A text that both sides changed is merged if that is unambiguous and some of the old text is left;
  /// everything else is done as in Emacs.
  private static func carryOut(_ edit: Edit, on files: inout OrgFiles) throws(OrgFiles.Objection) {
    do throws(OrgFiles.Objection) { try files.apply(edit) } catch {
      guard edit.kind == .body, case .success(let location) = files.location(of: edit.link), let index = location.entry,
        let current = files[location.path]?[index].content, let merged = merged(edit, current)
      else { throw error }
      files[location.path]?[index].content = merged
    }
  }

  private static func merged(_ edit: Edit, _ current: Bytes) -> Bytes? {
    let lines = Set(current.textLines.map(\.trimmed))
    guard edit.old.textLines.contains(where: { !$0.isBlank && lines.contains($0.trimmed) }) else { return nil }
    let head = Bytes("* x\n".utf8)
    let result = OrgMerge.merge(base: head + edit.old, ours: head + edit.new, theirs: head + current)
    guard result.status == .clean, let content = result.content, content.starts(with: head) else { return nil }
    return Bytes(content.dropFirst(head.count))
  }

  /// A failed edit for the inbox: the message is between the stars and `F(`.
  private static func failed(_ text: Bytes, _ message: String) -> Bytes {
    let place = (text.headingLevel ?? 1) + 1
    return Bytes(text.prefix(place)) + Bytes("\(message) ".utf8) + text.dropFirst(place)
  }

  /// Returns the rest of a capture file after this intake: everything that was added later.
  func rest(of capture: Bytes) -> Bytes {
    if capture == taken { return [] }
    if capture.starts(with: taken) { return Bytes(capture.dropFirst(taken.count)) }
    var gone = CaptureFile(taken).parts
    var file = CaptureFile(capture)
    file.parts.removeAll { part in
      guard let place = gone.firstIndex(of: part) else { return false }
      gone.remove(at: place)
      return true
    }
    return file.isBlank ? [] : file.parts.flatMap(\.bytes)
  }

  var bytes: Bytes {
    var fields = FieldWriter()
    fields.add(taken)
    fields.add(isWritten ? 1 : 0)
    fields.add(files.count)
    for (path, file) in files.sorted(by: { $0.key < $1.key }) {
      fields.add(path.bytes)
      fields.add(file.old)
      fields.add(file.new)
    }
    return fields.bytes
  }

  /// Returns nil if the bytes are not an intake.
  init?(_ bytes: Bytes) {
    var fields = FieldReader(bytes)
    guard let taken = fields.field().flatMap({ $0 }), let isWritten = fields.number(), let count = fields.number()
    else { return nil }
    self.taken = taken
    self.isWritten = isWritten == 1
    files = [:]
    for _ in 0..<count {
      guard let path = fields.field().flatMap({ $0 }).flatMap({ SyncPath(bytes: $0) }), let old = fields.field(),
        let new = fields.field().flatMap({ $0 })
      else { return nil }
      files[path] = File(old: old, new: new)
    }
  }
}
