internal import OrgKit
internal import SyncKit

/// Edits of single values: tags, priority, text, state and title.
extension EditPlan {
  /// Renames first what has a count in its title: Org writes it again when the state of a child changes, and the old title
  /// would not match any more.
  mutating func renameCounted(in path: SyncPath) {
    rename(in: path) { $0.hasCookie }
  }

  mutating func rename(in path: SyncPath, where isWanted: (OrgEntry) -> Bool) {
    for identity in differing[path]?.changed ?? [] {
      guard let (path, entry) = current(identity), let wanted = wanted(identity), entry.heading != wanted.heading,
        isWanted(entry), !wanted.heading.isEmpty
      else { continue }
      send(.heading, about: entry, in: path, old: entry.heading, new: wanted.heading)
    }
  }

  /// The text comes before the state: a change of state may write into the text (CLOSED and its like).
  mutating func changeValues(in path: SyncPath) {
    for identity in differing[path]?.changed ?? [] {
      changeTags(identity)
      changePriority(identity)
      changeText(identity)
      changeState(identity)
    }
  }

  private mutating func changeTags(_ identity: Identity) {
    guard let (_, entry) = current(identity), let wanted = wanted(identity) else { return }
    for step in TagLists.steps(from: entry.tags, to: wanted.tags) {
      guard let (path, entry) = current(identity) else { return }
      send(.tags, about: entry, in: path, old: Self.tagText(entry.tags), new: Self.tagText(step))
    }
  }

  private static func tagText(_ tags: [String]) -> Bytes {
    tags.isEmpty ? [] : Bytes(":\(tags.joined(separator: ":")):".utf8)
  }

  /// A priority can be set but not removed: Emacs would ask. Longer ones are refused before Org 9.8.
  private mutating func changePriority(_ identity: Identity) {
    guard let (path, entry) = current(identity), let new = wanted(identity)?.priority, new != entry.priority,
      new.utf8.count == 1, new.uppercased() == new
    else { return }
    send(.priority, about: entry, in: path, old: Bytes((entry.priority ?? "").utf8), new: Bytes(new.utf8))
  }

  private mutating func changeState(_ identity: Identity) {
    guard let (path, entry) = current(identity), let wanted = wanted(identity), wanted.keyword != entry.keyword else {
      return
    }
    send(
      .todo, about: entry, in: path, old: Bytes((entry.keyword ?? "").utf8), new: Bytes((wanted.keyword ?? "").utf8))
  }

  private mutating func changeText(_ identity: Identity) {
    guard let (path, entry) = current(identity), let wanted = wanted(identity) else { return }
    let old = entry.text
    let new = old.isBlank ? wanted.text : Self.sendable(wanted.text)
    guard LayoutKey(old) != LayoutKey(new), new.isEditValue else { return }
    if BodyKey(old) == BodyKey(new) {
      // Emacs takes lines that differ in their outer blanks for the same, so the change goes by way of another text.
      let detour = new + Bytes("#\n".utf8)
      guard send(.body, about: entry, in: path, old: old, new: detour), let (path, entry) = current(identity) else {
        return
      }
      send(.body, about: entry, in: path, old: detour, new: new)
    } else {
      send(.body, about: entry, in: path, old: old, new: new)
    }
  }

  /// The smallest text that Emacs can put in the place of another one is a line with a character to be seen.
  private static func sendable(_ text: Bytes) -> Bytes { text.isBlank ? Bytes("#\n".utf8) : text }

  @discardableResult
  private mutating func send(_ kind: Edit.Kind, about entry: OrgEntry, in path: SyncPath, old: Bytes, new: Bytes)
    -> Bool
  {
    guard let link = link(to: entry, in: path) else { return false }
    return request(Edit(kind: kind, link: link, title: entry.heading, old: old, new: new), in: path)
  }
}

/// A text as a person reads it: blanks at the ends of lines and blank lines at the end do not count as a change.
struct LayoutKey: Hashable {
  private let lines: [Bytes]

  init(_ text: Bytes) {
    let lines = text.textLines.map { line in Bytes(line[...(line.lastIndex { !$0.isWhite } ?? -1)]) }
    let last = lines.lastIndex { !$0.isEmpty } ?? -1
    self.lines = Array(lines[...last])
  }
}
