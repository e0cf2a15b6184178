import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A JSON value that was read from a request. The members of objects are in the order of their names.
struct ParsedJSON: Decodable {
  let value: JSON

  /// Parses a document; throws a problem if it is not JSON.
  static func read(_ bytes: [UInt8]) throws(Problem) -> JSON {
    do { return try JSONDecoder().decode(ParsedJSON.self, from: Data(bytes)).value } catch {
      throw Problem(400, "malformed", "The body is not a JSON document in UTF-8.")
    }
  }

  init(from decoder: any Decoder) throws {
    guard decoder.codingPath.count < 32 else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "nested too deeply"))
    }
    if let object = try? decoder.container(keyedBy: Name.self) {
      let names = object.allKeys.sorted { $0.stringValue < $1.stringValue }
      value = .object(
        try names.map { JSON.Member($0.stringValue, try object.decode(ParsedJSON.self, forKey: $0).value) })
    } else if var array = try? decoder.unkeyedContainer() {
      var elements: [JSON] = []
      while !array.isAtEnd { elements.append(try array.decode(ParsedJSON.self).value) }
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

/// Reads the members of an object, and collects all errors.
struct MemberReader {
  private let members: [String: JSON]
  private let pointer: String
  private(set) var mistakes: [Problem.Mistake] = []
  private var seen: Set<String> = []

  /// - Parameter pointer: the place of the object in the document.
  init(_ value: JSON, at pointer: String) {
    self.pointer = pointer
    guard case .object(let members) = value else {
      self.members = [:]
      mistakes = [Problem.Mistake(pointer: pointer, detail: "Expected an object.")]
      return
    }
    self.members = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// Returns a member as it is; nil if it is missing.
  mutating func value(_ name: String) -> JSON? {
    seen.insert(name)
    return members[name]
  }

  /// Returns a text; nil if it is missing, null or has an error.
  mutating func text(_ name: String, isRequired: Bool = false, limit: Int = 1_000, isLine: Bool = true) -> String? {
    guard let value = value(name), value != .null else {
      if isRequired { mistake(name, "This member is required.") }
      return nil
    }
    guard case .string(let text) = value else {
      mistake(name, "Expected a string.")
      return nil
    }
    if text.utf8.count > limit {
      mistake(name, "The text is longer than \(limit.counted("byte")).")
    } else if isLine, text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      mistake(name, "The text must be one line without control characters.")
    } else if text.contains("\0") {
      mistake(name, "The text must not contain NUL.")
    }
    return text
  }

  /// Returns a whole number; nil if it is missing or has an error.
  mutating func number(_ name: String, isRequired: Bool = false) -> Int? {
    switch value(name) {
    case .integer(let number): return number
    case nil, .null: if isRequired { mistake(name, "This member is required.") }
    default: mistake(name, "Expected a whole number.")
    }
    return nil
  }

  /// Returns true or false; nil if it is missing or has an error.
  mutating func flag(_ name: String, isRequired: Bool = false) -> Bool? {
    switch value(name) {
    case .boolean(let flag): return flag
    case nil, .null: if isRequired { mistake(name, "This member is required.") }
    default: mistake(name, "Expected true or false.")
    }
    return nil
  }

  /// Returns an array; empty if it is missing or has an error.
  mutating func array(_ name: String, isRequired: Bool = false) -> [JSON] {
    switch value(name) {
    case .array(let elements): return elements
    case nil, .null: if isRequired { mistake(name, "This member is required.") }
    default: mistake(name, "Expected an array.")
    }
    return []
  }

  /// Returns an array of texts, each one line.
  mutating func texts(_ name: String) -> [String] {
    let elements = array(name)
    let texts = elements.compactMap { element in
      if case .string(let text) = element, !text.isEmpty, text.utf8.count <= 200, !text.contains(where: \.isNewline) {
        text
      } else {
        String?.none
      }
    }
    if texts.count < elements.count || texts.count > 100 {
      mistake(name, "Expected at most 100 strings, each one line of up to 200 bytes.")
    }
    return texts
  }

  /// Records an error in a member.
  mutating func mistake(_ name: String, _ detail: String) {
    mistakes.append(Problem.Mistake(pointer: self.pointer(name), detail: detail))
  }

  /// Records errors that were found within a member.
  mutating func add(_ others: [Problem.Mistake]) { mistakes += others }

  /// Returns the pointer of a member.
  func pointer(_ name: String) -> String {
    pointer + "/" + name.replacing("~", with: "~0").replacing("/", with: "~1")
  }

  /// Records each member that was not read.
  mutating func refuseOthers() {
    for name in members.keys.sorted() where !seen.contains(name) { mistake(name, "This member is unknown.") }
  }
}
