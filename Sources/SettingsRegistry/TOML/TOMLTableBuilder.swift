/// A table while its document is read. It enforces TOML's rules about which statement may add to which table.
final class TOMLTableBuilder {
  /// What defined a table.
  enum Origin {
    case root
    /// Its own header.
    case header
    /// The header of a table within it. Its own header or a dotted key may still define it.
    case parent
    /// A dotted key. Only dotted keys add values to it, and headers only tables within it.
    case dotted
    /// Braces. Nothing is added later.
    case inline
  }

  /// The content of a key so far.
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

  /// Returns the table that the header `[path]` at `start` opens.
  func openTable(at path: ArraySlice<TOMLKey>, _ start: TextLocation) throws(Diagnostic) -> TOMLTableBuilder {
    guard let key = path.first else { return self }
    guard path.count == 1 else { return try innerTable(key, start).openTable(at: path.dropFirst(), start) }
    guard let earlier = earlier(key) else { return addTable(key, .header, at: start) }
    guard case .table(let table) = earlier.content, table.origin == .parent else { throw repeated(key, earlier) }
    (table.origin, table.location) = (.header, start)
    return table
  }

  /// Returns the table that the header `[[path]]` at `start` adds to its array.
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

  /// Returns a table that encloses the one of a header.
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
    Diagnostic("\"\(key.text)\" is already defined in line \(earlier.key.location.line)", at: key.location)
  }

  /// The table that was read.
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

/// An array of tables while its document is read. It has at least one element.
final class TOMLElementsBuilder {
  private(set) var last: TOMLTableBuilder
  private var earlier: [TOMLTableBuilder] = []

  init(at location: TextLocation) {
    last = TOMLTableBuilder(.header, at: location)
  }

  /// Adds an empty table and returns it.
  func append(at location: TextLocation) -> TOMLTableBuilder {
    earlier.append(last)
    last = TOMLTableBuilder(.header, at: location)
    return last
  }

  /// The array that was read.
  var node: TOMLNode {
    let tables = earlier + [last]
    return TOMLNode(.array(tables.map { TOMLNode(.table($0.table), at: $0.location) }), at: tables[0].location)
  }
}
