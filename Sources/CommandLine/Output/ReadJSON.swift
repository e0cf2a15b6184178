import SyncKit

/// A JSON value that is read from text. The members of objects are in the order of their names.
struct ReadJSON: Decodable {
  let value: JSON

  init(from decoder: any Decoder) throws {
    if let object = try? decoder.container(keyedBy: Name.self) {
      let names = object.allKeys.sorted { $0.stringValue < $1.stringValue }
      value = .object(try names.map { JSON.Member($0.stringValue, try object.decode(ReadJSON.self, forKey: $0).value) })
    } else if var array = try? decoder.unkeyedContainer() {
      var elements: [JSON] = []
      while !array.isAtEnd { elements.append(try array.decode(ReadJSON.self).value) }
      value = .array(elements)
    } else {
      value = try Self.scalar(decoder.singleValueContainer())
    }
  }

  private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSON {
    if container.decodeNil() { return .null }
    if let boolean = try? container.decode(Bool.self) { return .boolean(boolean) }
    if let integer = try? container.decode(Int.self) { return .integer(integer) }
    if let number = try? container.decode(Double.self) { return .number(number) }
    return .string(try container.decode(String.self))
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
