/// All entries of a set of files, read from the files themselves. The slow and certain way to answer questions.
public struct OrgFolder {
  /// The items by file, in the order of the files.
  public let items: [[OrgItem]]
  /// The groups of tags of all files.
  public let groups: OrgTagGroups
  /// The task states of all files, in order of declaration.
  public let states: [String]
  private let documents: [String: OrgDocument]

  /// Reads the files of a set.
  public init(_ files: OrgFileSet, _ settings: OrgSettings) {
    var files = files
    let excluded = settings["org-tags-exclude-from-inheritance"]?.elements?.compactMap(\.text) ?? []
    var (documents, items, groups, states) = ([String: OrgDocument](), [[OrgItem]](), OrgTagGroups(), [String]())
    for name in files.names {
      let document = OrgDocument(files[name] ?? [], todoKeywords: settings.todoLines)
      documents[name] = document
      items.append(Array(OrgItems(document, file: name, uninheritedTags: Set(excluded))))
      groups.formUnion(OrgTagGroups(document))
      states += document.todoKeywords.filter { !states.contains($0) }
    }
    (self.documents, self.items, self.groups, self.states) = (documents, items, groups, states)
  }

  /// Returns a file.
  public func document(_ file: String) -> OrgDocument? { documents[file] }

  /// Returns the text of an item's entry with its headline, without its children.
  public func text(_ item: OrgItem) -> String {
    guard let document = documents[item.file], let entry = document.entry(atLine: item.line) else {
      return item.headline
    }
    return entry.bytes.string
  }

  /// Returns the text of an item's entry below its planning line and drawers, without its children.
  public func body(_ item: OrgItem) -> String {
    guard let document = documents[item.file], let entry = document.entry(atLine: item.line) else { return "" }
    return entry.body
  }

  /// Returns the item at a place; nil if it does not exist.
  public func item(at place: OrgPlace) -> OrgItem? {
    guard let items = items.first(where: { $0.first?.file == place.file }) else { return nil }
    switch place.entry {
    case .first: return items.first
    case .preamble: return nil
    case .path(let path): return items.first { $0.path == path }
    case .id(let id): return items.first { $0.id == id }
    case .line(let line): return items.last { $0.line <= line }
    }
  }

  /// Returns the tags of a file's entries, without duplicates.
  public func tagNames(of file: String) -> [String] {
    var seen: Set<String> = []
    let items = items.first { $0.first?.file == file } ?? []
    return items.flatMap(\.tags).filter { seen.insert($0).inserted }
  }
}

extension OrgDocument {
  /// Returns the entry whose headline or text is at a line, counted from 1; nil above the first headline.
  public func entry(atLine line: Int) -> OrgEntry? {
    var start = 0
    let bytes = bytes
    for _ in 1..<max(line, 1) {
      start = bytes.span.lineEnd(from: min(start, bytes.count), to: bytes.count) + 1
    }
    guard start <= bytes.count else { return nil }
    let index = outline.nodes.lastIndex { $0.level > 0 && $0.start <= start }
    return index.map { self[OrgEntry.Index($0)] }
  }
}
