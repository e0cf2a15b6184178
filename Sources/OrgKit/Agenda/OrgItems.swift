/// The entries of a file as items, read in one pass from top to bottom.
public struct OrgItems: Sequence, Sendable {
  private let document: OrgDocument
  private let file: String
  private let uninheritedTags: Set<String>

  /// The items of a file with its path.
  ///
  /// - Parameter uninheritedTags: the tags that children do not have from their parents (org-tags-exclude-from-inheritance).
  public init(_ document: OrgDocument, file: String, uninheritedTags: Set<String> = []) {
    (self.document, self.file, self.uninheritedTags) = (document, file, uninheritedTags)
  }

  /// Returns an iterator over the items in document order.
  public func makeIterator() -> Iterator {
    Iterator(reader: OrgItemReader(document, file: file, uninheritedTags: uninheritedTags))
  }

  /// Reads one item after another.
  public struct Iterator: IteratorProtocol {
    fileprivate var reader: OrgItemReader
    private var place = 0

    fileprivate init(reader: OrgItemReader) { self.reader = reader }

    /// Returns the next item.
    public mutating func next() -> OrgItem? {
      guard place < reader.count else { return nil }
      defer { place += 1 }
      return reader.item(place)
    }
  }
}

/// Reads single items of a file; what they have from their parents is read once.
package struct OrgItemReader {
  private let document: OrgDocument
  private let file: String
  private let uninheritedTags: Set<String>
  private let priorities: OrgPriorities
  private let root: Heritage
  private var heritages: [Int: Heritage] = [:]
  private var lines: LineCounter

  /// What an entry has from its parents.
  private struct Heritage {
    var path: [String]
    var tags: [String]
    var category: String
    var comments: [Int]
    var isArchived: Bool
  }

  package init(_ document: OrgDocument, file: String, uninheritedTags: Set<String> = []) {
    (self.document, self.file, self.uninheritedTags) = (document, file, uninheritedTags)
    priorities = document.settings("PRIORITIES").first.flatMap { OrgPriorities($0) } ?? OrgPriorities()
    let tags = document.fileTags
    root = Heritage(
      path: [], tags: tags.filter { !uninheritedTags.contains($0) },
      category: document.settings("CATEGORY").first ?? Self.category(of: file), comments: [],
      isArchived: tags.contains("ARCHIVE"))
    lines = LineCounter(document.bytes)
  }

  private static func category(of file: String) -> String {
    let name = file.split(separator: "/").last ?? ""
    return String(name.lastIndex(of: ".").map { name[..<$0] } ?? name)
  }

  /// The number of entries.
  package var count: Int { document.outline.nodes.count - 1 }

  /// Returns an item by its place among all entries. Places must not decrease, because lines are counted.
  package mutating func item(_ place: Int) -> OrgItem {
    let node = document.outline.nodes[place + 1]
    return item(place, line: lines.number(at: node.start))
  }

  /// Returns the number of the line on which an entry begins; places must not decrease.
  package mutating func line(_ place: Int) -> Int { lines.number(at: document.outline.nodes[place + 1].start) }

  /// Returns an item whose line is known.
  package mutating func item(_ place: Int, line: Int) -> OrgItem {
    let index = place + 1
    let parent = heritage(from: document.outline.nodes[index].parent)
    let headline = Headline(document.outline.headline(index), keywords: document.keywords)
    var item = OrgItem.Facts(
      file: file, line: line, level: document.outline.nodes[index].level, path: parent.path + [headline.title.string],
      category: parent.category)
    item.keyword = headline.keyword?.string
    item.isDone = headline.keyword.map { document.keywords.isDone($0) } ?? false
    item.priority = headline.priority?.string
    item.tags = headline.tags.map(\.string)
    item.inheritedTags = parent.tags
    item.comments = parent.comments + (headline.isComment ? [parent.path.count] : [])
    item.isArchived = parent.isArchived || item.tags.contains("ARCHIVE")
    item.priorities = priorities
    ItemSection(document.outline.section(index), headline: headline.title, document.keywords).read(into: &item)
    item.category = item.properties.first { $0.has("CATEGORY") }?.value ?? parent.category
    return OrgItem(item)
  }

  private mutating func heritage(from node: Int) -> Heritage {
    guard document.outline.nodes[node].level > 0 else { return root }
    if let known = heritages[node] { return known }
    let parent = heritage(from: document.outline.nodes[node].parent)
    let headline = Headline(document.outline.headline(node), keywords: document.keywords)
    let tags = headline.tags.map(\.string)
    let heritage = Heritage(
      path: parent.path + [headline.title.string],
      tags: parent.tags + tags.filter { !uninheritedTags.contains($0) },
      category: document.outline.drawer(node)?["category"]?.string ?? parent.category,
      comments: parent.comments + (headline.isComment ? [parent.path.count] : []),
      isArchived: parent.isArchived || tags.contains("ARCHIVE"))
    heritages[node] = heritage
    return heritage
  }
}

/// Counts lines up to increasing positions.
struct LineCounter {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Returns the number of the line that contains a position; positions must not decrease.
  mutating func number(at target: Int) -> Int {
    let bytes = bytes
    let span = bytes.span
    while true {
      let end = span.lineEnd(from: position, to: target)
      guard end < target else { break }
      line += 1
      position = end + 1
    }
    return line
  }
}
