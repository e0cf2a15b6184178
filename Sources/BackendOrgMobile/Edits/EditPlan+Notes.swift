internal import OrgKit
internal import SyncKit

/// Describes changes that no edit can express: as a flag with both versions if the entry has a link, otherwise as a capture.
extension EditPlan {
  mutating func noteRemainder(of change: Change) {
    let differing = differing[change.path] ?? Differing()
    for identity in Set(differing.changed + differing.moved + differing.added).sorted(by: { $0.place < $1.place }) {
      guard let wanted = wanted(identity) else { continue }
      guard let (path, entry) = current(identity) else {
        capture(wanted, whyNot: "its place cannot be expressed as an edit", in: change.path)
        continue
      }
      let differences = differences(of: entry, in: path, from: wanted, identity)
      if !differences.isEmpty { flag(entry, in: path, differences) }
    }
    noteGone(in: change.path)
    notePreamble(of: change)
  }

  /// Describes removed entries that still exist, one per subtree.
  private mutating func noteGone(in path: SyncPath) {
    for (place, identity) in (identities[path] ?? []).enumerated() where identity == nil {
      guard let entry = files[path]?.entries[place] else { continue }
      let isTop = entry.parent.map { identities[path]?[$0.place] != .some(nil) } ?? true
      if isTop { flag(entry, in: path, ["it was removed on \(options.device)"]) }
    }
  }

  private func differences(
    of entry: OrgEntry, in path: SyncPath, from wanted: OrgEntry, _ identity: Identity
  ) -> [String] {
    var lines: [String] = []
    func compare(_ name: String, _ desktop: Bytes, _ store: Bytes) {
      guard desktop != store else { return }
      lines.append("\(name) on the desktop: \(Self.shown(desktop)), on \(options.device): \(Self.shown(store))")
    }
    compare("Title", entry.heading, wanted.heading)
    compare("State", Bytes((entry.keyword ?? "").utf8), Bytes((wanted.keyword ?? "").utf8))
    compare("Priority", Bytes((entry.priority ?? "").utf8), Bytes((wanted.priority ?? "").utf8))
    compare("Tags", Bytes(entry.tags.joined(separator: ":").utf8), Bytes(wanted.tags.joined(separator: ":").utf8))
    if LayoutKey(entry.text) != LayoutKey(wanted.text.isBlank && entry.text.isPlaceholder ? entry.text : wanted.text) {
      lines += ["Text on \(options.device):"] + wanted.text.textLines.map { "  \($0.string)" }
    }
    if !isBelowItsParent(entry, in: path, identity, wanted) {
      lines.append(
        "On \(options.device) it is in \(identity.path) below \(wanted.parent?.path.joined(separator: "/") ?? "no other")"
      )
    }
    return lines
  }

  private static func shown(_ value: Bytes) -> String { value.isEmpty ? "none" : value.string }

  private mutating func flag(_ entry: OrgEntry, in path: SyncPath, _ lines: [String]) {
    let note = (["Changed on \(options.device), and org-mobile has no command for it."] + lines).map(Self.textLine)
    guard let link = link(to: entry, in: path) else {
      return capture("Look at \(entry.path.joined(separator: "/")) in \(path)", note)
    }
    append(Edit(kind: .flag, link: link, title: entry.heading, new: note.map { Bytes($0.utf8) }.text).bytes)
  }

  private mutating func notePreamble(of change: Change) {
    let (old, new) = (Self.preamble(files[change.path]), Self.preamble(wanted[change.path]))
    guard LayoutKey(old) != LayoutKey(new) else { return }
    let lines =
      ["The top of the file \(change.path) on \(options.device):"] + new.textLines.map { "  \($0.string)" }
      + ["and on the desktop:"] + old.textLines.map { "  \($0.string)" }
    capture("Look at the top of \(change.path)", lines)
  }

  /// The text above the first headline, without the desktop's stamp.
  private static func preamble(_ document: OrgDocument?) -> Bytes {
    guard let document else { return [] }
    let end = document.topLevelEntries.first?.bytes.startIndex ?? document.bytes.count
    return Bytes(document.bytes[..<end]).textLines.filter { !StampLine.isOne($0) }.text
  }

  // MARK: Captures

  /// Turns new entries of the inbox into captures, unchanged. Other changes of the inbox stay on this device: Emacs loses its
  /// position if the inbox itself is edited in a pull.
  mutating func capture(_ change: Change) {
    let known = Set(identities[change.path, default: []].compactMap { $0?.place })
    for entry in wanted[change.path]?.topLevelEntries ?? [] where !known.contains(entry.place) {
      append(Self.capture(Bytes(entry.subtree).withoutCarriageReturns))
    }
  }

  private mutating func capture(_ entry: OrgEntry, whyNot reason: String, in path: SyncPath) {
    let place = (["\(path)"] + entry.path.dropLast()).joined(separator: "/")
    let lines = ["New on \(options.device) in \(place); \(reason).", "  \(entry.bytes.string)"]
    capture("File away: \(entry.title)", lines.flatMap { Bytes($0.utf8).textLines.map(\.string) })
  }

  private mutating func capture(_ title: String, _ lines: [String]) {
    append(Bytes("* \(title)\n".utf8) + lines.map { Bytes(Self.textLine($0).utf8) }.text)
  }

  /// A subtree whose first heading has one star.
  private static func capture(_ subtree: Bytes) -> Bytes {
    var document = OrgDocument([])
    document.append(subtree.string)
    let text = document.bytes
    return text.last == UInt8(ascii: "\n") ? text : text + [UInt8(ascii: "\n")]
  }

  /// The line as text that does not begin an entry.
  private static func textLine(_ line: String) -> String { line.hasPrefix("*") ? " " + line : line }
}

extension [UInt8] {
  /// True if the text is the placeholder that was sent for an empty text.
  fileprivate var isPlaceholder: Bool { trimmed.elementsEqual("#".utf8) }
}
