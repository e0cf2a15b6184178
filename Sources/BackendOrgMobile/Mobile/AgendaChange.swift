internal import OrgKit
internal import SyncKit

/// A user's change in `agendas.org`, as edits of the entries that it shows. Pure.
///
/// The views show entries in another form than their files, so only the parts of a heading can be changed in them: state,
/// priority, title and the entry's own tags.
struct AgendaChange {
  /// The edits in the order of the views, with links as in the views.
  let edits: [Edit]

  /// Returns nil if anything else was changed.
  /// - Parameter todoLines: the task states on the desktop.
  init?(from old: Bytes, to new: Bytes, todoLines: [String]) {
    let (former, present) = (Self.entries(of: old, todoLines), Self.entries(of: new, todoLines))
    guard former.count == present.count else { return nil }
    var edits: [Edit] = []
    for (former, present) in zip(former, present) {
      guard former.frame == present.frame else { return nil }
      guard former.values != present.values else { continue }
      guard let link = former.original.flatMap(Self.link) else { return nil }
      // The title comes last, because outline paths contain the old one.
      for kind in [Edit.Kind.todo, .priority, .tags, .heading] {
        let (old, new) = (former.values[kind] ?? [], present.values[kind] ?? [])
        let edit = Edit(kind: kind, link: link, title: former.values[.heading] ?? [], old: old, new: new)
        // An entry may be in several views.
        if old != new, !edits.contains(edit) { edits.append(edit) }
      }
    }
    self.edits = edits
  }

  /// Parses `ORIGINAL_ID`: an ID or an outline path.
  private static func link(_ original: Bytes) -> EntryLink? {
    original.starts(with: "olp:") ? EntryLink(original) : .id(original)
  }

  /// An entry in a view.
  private struct Entry {
    /// The unchangeable parts: stars, inherited tags, the prefix, and the text.
    var frame: [Bytes]
    var original: Bytes?
    /// The changeable values, by the kind of edit.
    var values: [Edit.Kind: Bytes]
  }

  private static func entries(of text: Bytes, _ todoLines: [String]) -> [Entry] {
    var entries: [Entry] = []
    for line in text.textLines {
      if line.headingLevel != nil {
        entries.append(entry(line, todoLines))
      } else if let last = entries.indices.last {
        // Programs that know Org add a date to completed tasks; the desktop does that in its own way.
        if line.trimmed.starts(with: "CLOSED:"), line.trimmed.last == UInt8(ascii: "]") { continue }
        entries[last].frame.append(line)
        let key = Bytes(":ORIGINAL_ID:".utf8)
        if line.trimmed.starts(with: key) { entries[last].original = Bytes(line.trimmed.dropFirst(key.count)).trimmed }
      } else {
        entries.append(Entry(frame: [line], values: [:]))
      }
    }
    return entries
  }

  private static func entry(_ line: Bytes, _ todoLines: [String]) -> Entry {
    let end = line.firstRange(of: Bytes("<before>".utf8))?.lowerBound ?? line.count
    let document = OrgDocument(Bytes(line[..<end]), todoKeywords: todoLines)
    let stars = Bytes(line.prefix { $0 == UInt8(ascii: "*") })
    guard let heading = document.entries.first else { return Entry(frame: [line], values: [:]) }
    let (inherited, own) = tags(of: Bytes(line[..<end]), heading.tags)
    return Entry(
      frame: [stars, inherited, Bytes(line[end...])],
      values: [
        .todo: Bytes((heading.keyword ?? "").utf8), .priority: Bytes((heading.priority ?? "").utf8),
        .heading: heading.heading, .tags: own,
      ])
  }

  /// Splits tags; inherited ones come before a double colon, which Org reads as one.
  private static func tags(of line: Bytes, _ all: [String]) -> (inherited: Bytes, own: Bytes) {
    guard !all.isEmpty else { return ([], []) }
    let word = Bytes(line.trimmed.split(separator: UInt8(ascii: " ")).last ?? [])
    guard let border = word.firstRange(of: Bytes("::".utf8)) else { return ([], word) }
    let own = Bytes(word[(border.lowerBound + 1)...])
    return (Bytes(word[..<border.upperBound]), own.count > 1 ? own : [])
  }
}
