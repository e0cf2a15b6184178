/// The changes between two versions of an Org file, by entry and field, including moves.
public struct OrgDiff: Sendable, Equatable {
  /// The change of one entry, or of the file's preamble.
  public struct Change: Sendable, Equatable {
    /// The kind of change.
    public enum Kind: Sendable, Equatable {
      /// It is new.
      case added
      /// It is gone.
      case removed
      /// It still exists, possibly elsewhere or with other content.
      case changed
    }

    /// The kind of change.
    public var kind: Kind
    /// The titles on the path to the entry in the new version, or in the old one if it was removed; empty for the preamble.
    public var path: [String]
    /// The old path, if the entry has another parent or level.
    public var movedFrom: [String]?
    /// The changed fields; empty for an entry that only moved.
    public var fields: [Field]
  }

  /// A field with its old and new value; nil for no value.
  public struct Field: Sendable, Equatable {
    /// The field's name as in conflicts: `title`, `scheduled`, `property Effort`, `text`.
    public var name: String
    /// The old value.
    public var old: String?
    /// The new value.
    public var new: String?
  }

  /// The changes: those in the new version from top to bottom, then the removed entries.
  public private(set) var changes: [Change] = []

  /// Compares two versions of a file.
  public init(from old: [UInt8], to new: [UInt8]) {
    if old == new { return }
    let (before, after) = (Outline(Envelope.open(old).text), Outline(Envelope.open(new).text))
    let keywords = Keywords(of: [before, after])
    let matching = EntryMatching(before, after, roots: [(0, 0)], keywords: keywords)
    var comparison = Comparison(before: before, after: after, matching: matching, keywords: keywords)
    changes = comparison.changes()
  }
}

/// Compares matched entries.
private struct Comparison {
  let before: Outline
  let after: Outline
  let matching: EntryMatching
  let keywords: Keywords

  mutating func changes() -> [OrgDiff.Change] {
    let present = after.nodes.indices.compactMap { node in
      matching.ofSide[node].map { change(from: $0, to: node) } ?? addition(node)
    }
    return present + before.nodes.indices.filter { matching.ofBase[$0] == nil }.map(removal)
  }

  private func addition(_ node: Int) -> OrgDiff.Change {
    OrgDiff.Change(
      kind: .added, path: path(node, after), movedFrom: nil,
      fields: OrgDiff.Field.differences(from: EntryFields(), to: fields(node, after)))
  }

  private func removal(_ node: Int) -> OrgDiff.Change {
    OrgDiff.Change(
      kind: .removed, path: path(node, before), movedFrom: nil,
      fields: OrgDiff.Field.differences(from: fields(node, before), to: EntryFields()))
  }

  private func change(from old: Int, to new: Int) -> OrgDiff.Change? {
    let isMoved =
      matching.ofBase[before.nodes[old].parent] != after.nodes[new].parent
      || before.nodes[old].level != after.nodes[new].level
    let isEqual = before.entryWithoutStars(old) == after.entryWithoutStars(new)
    let differences = isEqual ? [] : OrgDiff.Field.differences(from: fields(old, before), to: fields(new, after))
    guard isMoved || !differences.isEmpty else { return nil }
    return OrgDiff.Change(
      kind: .changed, path: path(new, after), movedFrom: isMoved ? path(old, before) : nil, fields: differences)
  }

  private func path(_ node: Int, _ outline: Outline) -> [String] {
    var titles: [String] = []
    var node = node
    while outline.nodes[node].level > 0 {
      titles.append(Headline(outline.headline(node), keywords: keywords).title.string)
      node = outline.nodes[node].parent
    }
    return titles.reversed()
  }

  private func fields(_ node: Int, _ outline: Outline) -> EntryFields {
    let isPreamble = outline.nodes[node].level == 0
    return EntryFields(
      headline: isPreamble ? nil : Headline(outline.headline(node), keywords: keywords),
      section: Section(outline.section(node), isPreamble: isPreamble))
  }
}
