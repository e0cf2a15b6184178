/// An array of tables while its document is read; it has at least one element.
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

  /// What was read.
  var node: TOMLNode {
    let tables = earlier + [last]
    return TOMLNode(.array(tables.map { TOMLNode(.table($0.table), at: $0.location) }), at: tables[0].location)
  }
}
