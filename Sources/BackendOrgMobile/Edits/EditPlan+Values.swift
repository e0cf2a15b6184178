internal import OrgKit
internal import SyncKit

/// Edits of single values: tags, priority, text, state and title.
extension EditPlan {
  /// Renames entries with a statistics cookie first: Org updates the cookie when the state of a child changes, and the old
  /// title would no longer match.
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

  /// Changes values. The text comes before the state, because a change of state may add lines to the text (such as CLOSED).
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

  /// Changes a priority. It can be set but not removed: Emacs would ask. Org before 9.8 rejects longer ones.
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
      // Emacs treats lines that differ only in outer spaces as equal, so the change takes a detour over another text.
      let detour = new + Bytes("#\n".utf8)
      guard send(.body, about: entry, in: path, old: old, new: detour), let (path, entry) = current(identity) else {
        return
      }
      send(.body, about: entry, in: path, old: detour, new: new)
    } else {
      send(.body, about: entry, in: path, old: old, new: new)
    }
  }

  /// Emacs cannot replace a text by an empty one; the minimum is a line with a visible character.
  private static func sendable(_ text: Bytes) -> Bytes { text.isBlank ? Bytes("#\n".utf8) : text }

  @discardableResult
  private mutating func send(_ kind: Edit.Kind, about entry: OrgEntry, in path: SyncPath, old: Bytes, new: Bytes)
    -> Bool
  {
    guard let link = link(to: entry, in: path) else { return false }
    return request(Edit(kind: kind, link: link, title: entry.heading, old: old, new: new), in: path)
  }
}

/// A text as people read it: trailing spaces and trailing blank lines do not count as a change.
struct LayoutKey: Hashable {
  private let lines: [Bytes]

  init(_ text: Bytes) {
    let lines = text.textLines.map { line in Bytes(line[...(line.lastIndex { !$0.isWhite } ?? -1)]) }
    let last = lines.lastIndex { !$0.isEmpty } ?? -1
    self.lines = Array(lines[...last])
  }
}
