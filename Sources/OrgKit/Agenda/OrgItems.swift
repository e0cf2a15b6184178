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
  public func makeIterator() -> Iterator { Iterator(document, file, uninheritedTags) }

  /// Reads one item after another, with the parents of the current one.
  public struct Iterator: IteratorProtocol {
    private let document: OrgDocument
    private let file: String
    private let uninheritedTags: Set<String>
    private let priorities: OrgPriorities
    private let root: Heritage
    private var parents: [Heritage] = []
    private var node = 1
    private var lines: LineCounter

    /// What an entry has from its parents.
    private struct Heritage {
      var level: Int
      var path: [String]
      var tags: [String]
      var category: String
      var comments: [Int]
      var isArchived: Bool
    }

    fileprivate init(_ document: OrgDocument, _ file: String, _ uninheritedTags: Set<String>) {
      (self.document, self.file, self.uninheritedTags) = (document, file, uninheritedTags)
      priorities = document.settings("PRIORITIES").first.flatMap { OrgPriorities($0) } ?? OrgPriorities()
      let tags = document.fileTags
      root = Heritage(
        level: 0, path: [], tags: tags.filter { !uninheritedTags.contains($0) },
        category: document.settings("CATEGORY").first ?? Self.category(of: file), comments: [],
        isArchived: tags.contains("ARCHIVE"))
      lines = LineCounter(document.bytes)
    }

    private static func category(of file: String) -> String {
      let name = file.split(separator: "/").last ?? ""
      return String(name.lastIndex(of: ".").map { name[..<$0] } ?? name)
    }

    /// Returns the next item.
    public mutating func next() -> OrgItem? {
      guard node < document.outline.nodes.count else { return nil }
      defer { node += 1 }
      let place = document.outline.nodes[node]
      while let last = parents.last, last.level >= place.level { parents.removeLast() }
      let parent = parents.last ?? root
      let headline = Headline(document.outline.headline(node), keywords: document.keywords)
      var item = OrgItem(
        file: file, line: lines.number(at: place.start), level: place.level,
        path: parent.path + [headline.title.string],
        category: parent.category)
      read(headline, parent, into: &item)
      ItemSection(document.outline.section(node), headline: headline.title, document.keywords).read(into: &item)
      item.category = item[property: "CATEGORY"] ?? parent.category
      pushHeritage(of: item)
      return item
    }

    private func read(_ headline: Headline, _ parent: Heritage, into item: inout OrgItem) {
      item.keyword = headline.keyword?.string
      item.isDone = headline.keyword.map { document.keywords.isDone($0) } ?? false
      item.priority = headline.priority?.string
      item.tags = headline.tags.map(\.string)
      item.inheritedTags = parent.tags
      item.comments = parent.comments + (headline.isComment ? [parent.path.count] : [])
      item.isArchived = parent.isArchived || item.tags.contains("ARCHIVE")
      item.priorities = priorities
    }

    private mutating func pushHeritage(of item: OrgItem) {
      guard document.outline.nodes[node].subtreeEnd > node + 1 else { return }
      let tags = item.inheritedTags + item.tags.filter { !uninheritedTags.contains($0) }
      parents.append(
        Heritage(
          level: item.level, path: item.path, tags: tags, category: item.category, comments: item.comments,
          isArchived: item.isArchived))
    }
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
