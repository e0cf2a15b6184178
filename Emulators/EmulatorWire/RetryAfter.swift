/// A planned wait: a number, or any text.
package struct RetryAfter: Decodable, Sendable {
  package var text: String
  package var number: Int?

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    number = try? container.decode(Int.self)
    text = try number.map(String.init) ?? container.decode(String.self)
  }
}
