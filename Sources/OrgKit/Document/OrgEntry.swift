/// A headline with its section and subtree, as a view into a document.
public struct OrgEntry: Sendable {
  /// The position of an entry in its document; valid until entries are added, removed or moved.
  public struct Index: Sendable, Hashable {
    let node: Int

    init(_ node: Int) {
      self.node = node
    }
  }

  /// The document with all changes made through this entry.
  public internal(set) var document: OrgDocument
  /// The position of the entry in its document.
  public let index: Index

  /// The number of stars.
  public var level: Int { document.outline.nodes[index.node].level }

  /// The parent entry; nil at the top level.
  public var parent: OrgEntry? {
    let parent = document.outline.nodes[index.node].parent
    return parent == 0 ? nil : document[Index(parent)]
  }

  /// The direct children.
  public var children: [OrgEntry] { document.children(of: index.node) }

  /// The titles from the top level down to this entry.
  public var path: [String] { (parent?.path ?? []) + [title] }

  /// The bytes from the headline to the end of the section, without children.
  public var bytes: ArraySlice<UInt8> { document.outline.entry(index.node) }

  /// The bytes of the entry with its subtree.
  public var subtree: ArraySlice<UInt8> {
    let last = document.outline.nodes[index.node].subtreeEnd - 1
    return document.bytes[document.outline.nodes[index.node].start..<document.outline.nodes[last].end]
  }

  /// True if the keyword means that the task is done.
  public var isDone: Bool { headline.keyword.map { document.keywords.isDone($0) } ?? false }

  /// The blocks of the section below planning line and property drawer.
  public var blocks: [OrgBlock] { section.blocks.map(OrgBlock.init) }

  /// The properties in the order of the drawer.
  public var properties: [(key: String, value: String)] {
    (drawer?.properties ?? []).map { ($0.key.string, $0.value.string) }
  }

  /// The active timestamps in title and text, which put the entry on the agenda.
  public var activeTimestamps: [OrgTimestamp] {
    let section = document.outline.section(index.node)
    let text = Planning.isOne(section.firstLine) ? section.withoutFirstLine : section
    return (document.outline.headline(index.node).activeTimestamps + text.activeTimestamps)
      .compactMap { OrgTimestamp($0) }
  }

  var headline: Headline { Headline(document.outline.headline(index.node), keywords: document.keywords) }

  var section: Section { Section(document.outline.section(index.node), isPreamble: false) }

  var planningLine: Planning? {
    Planning(document.outline.section(index.node).firstLine)
  }

  var drawer: PropertyDrawer? { document.outline.drawer(index.node) }
}

extension ArraySlice<UInt8> {
  fileprivate var activeTimestamps: [Bytes] {
    var found: [Bytes] = []
    var rest = self
    while let stamp = rest.firstTimestamp(isActive: true) {
      found.append(stamp)
      rest = rest[stamp.endIndex...]
    }
    return found
  }
}
