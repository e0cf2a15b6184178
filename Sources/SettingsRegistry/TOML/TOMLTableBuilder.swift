/// A table while its document is read; it keeps TOML's rules about who may add to which table.
final class TOMLTableBuilder {
  /// How a table came to be.
  enum Origin {
    case root
    /// By a header of its own.
    case header
    /// By the header of a table within it; it may still be defined, by a header of its own or by a dotted key.
    case parent
    /// By a dotted key; only dotted keys add values to it, headers only tables within it.
    case dotted
    /// By braces; nothing is ever added.
    case inline
  }

  /// What a key stands for so far.
  fileprivate enum Content {
    case value(TOMLNode)
    case table(TOMLTableBuilder)
    case elements(TOMLElementsBuilder)
  }

  private(set) var origin: Origin
  private(set) var location: TextLocation
  private var contents: [(key: TOMLKey, content: Content)] = []
  private var positions: [TOMLKey: Int] = [:]

  init(_ origin: Origin, at location: TextLocation) {
    self.origin = origin
    self.location = location
  }

  /// Adds a value under a key that may be dotted.
  func insert(_ node: TOMLNode, at path: ArraySlice<TOMLKey>) throws(Diagnostic) {
    guard let key = path.first else { return }
    if path.count == 1 {
      if let earlier = earlier(key) { throw repeated(key, earlier) }
      return add(key, .value(node))
    }
    try dottedTable(key).insert(node, at: path.dropFirst())
  }

  private func dottedTable(_ key: TOMLKey) throws(Diagnostic) -> TOMLTableBuilder {
    guard let earlier = earlier(key) else { return addTable(key, .dotted, at: key.location) }
    guard case .table(let table) = earlier.content, [.dotted, .parent].contains(table.origin) else {
      throw repeated(key, earlier)
    }
    table.origin = .dotted
    return table
  }

  /// The table that the header `[path]` at `start` opens.
  func openTable(at path: ArraySlice<TOMLKey>, _ start: TextLocation) throws(Diagnostic) -> TOMLTableBuilder {
    guard let key = path.first else { return self }
    guard path.count == 1 else { return try innerTable(key, start).openTable(at: path.dropFirst(), start) }
    guard let earlier = earlier(key) else { return addTable(key, .header, at: start) }
    guard case .table(let table) = earlier.content, table.origin == .parent else { throw repeated(key, earlier) }
    (table.origin, table.location) = (.header, start)
    return table
  }

  /// The table that the header `[[path]]` at `start` adds to its array.
  func appendElement(at path: ArraySlice<TOMLKey>, _ start: TextLocation) throws(Diagnostic) -> TOMLTableBuilder {
    guard let key = path.first else { return self }
    guard path.count == 1 else { return try innerTable(key, start).appendElement(at: path.dropFirst(), start) }
    guard let earlier = earlier(key) else {
      let elements = TOMLElementsBuilder(at: start)
      add(key, .elements(elements))
      return elements.last
    }
    guard case .elements(let elements) = earlier.content else { throw repeated(key, earlier) }
    return elements.append(at: start)
  }

  /// The table that a header passes through on its way.
  private func innerTable(_ key: TOMLKey, _ start: TextLocation) throws(Diagnostic) -> TOMLTableBuilder {
    guard let earlier = earlier(key) else { return addTable(key, .parent, at: start) }
    switch earlier.content {
    case .table(let table): return table
    case .elements(let elements): return elements.last
    case .value: throw repeated(key, earlier)
    }
  }

  private func earlier(_ key: TOMLKey) -> (key: TOMLKey, content: Content)? {
    positions[key].map { contents[$0] }
  }

  private func add(_ key: TOMLKey, _ content: Content) {
    positions[key] = contents.count
    contents.append((key, content))
  }

  private func addTable(_ key: TOMLKey, _ origin: Origin, at location: TextLocation) -> TOMLTableBuilder {
    let table = TOMLTableBuilder(origin, at: location)
    add(key, .table(table))
    return table
  }

  private func repeated(_ key: TOMLKey, _ earlier: (key: TOMLKey, content: Content)) -> Diagnostic {
    Diagnostic("\"\(key.text)\" is already there, in line \(earlier.key.location.line)", at: key.location)
  }

  /// What was read.
  var table: TOMLTable {
    var table = TOMLTable()
    for (key, content) in contents { table.append(key, content.node) }
    return table
  }
}

extension TOMLTableBuilder.Content {
  fileprivate var node: TOMLNode {
    switch self {
    case .value(let node): node
    case .table(let table): TOMLNode(.table(table.table), at: table.location)
    case .elements(let elements): elements.node
    }
  }
}
