import Foundation
import Testing

/// A JSON Schema; implements the keywords that the schemas in `docs/schema` use.
struct JSONSchema {
  let name: String
  private let root: [String: Any]

  /// Reads `docs/schema/NAME.json`.
  init(_ name: String) throws {
    self.name = name
    let file = Documents.project.appending(path: "docs/schema/\(name).json")
    root = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any], "\(name)")
  }

  /// The mistakes in a document, each with its place; empty if it is valid.
  func mistakes(in document: Any) -> [String] { Self.mistakes(in: document, by: root, at: name) }

  /// The names of all properties, with the path to each.
  var properties: [String] { Self.properties(of: root, in: "") }

  private static let keywords: Set = [
    "$schema", "title", "description", "type", "enum", "const", "minimum", "pattern", "properties", "required",
    "additionalProperties", "items", "anyOf",
  ]

  private static func mistakes(in value: Any, by schema: [String: Any], at place: String) -> [String] {
    var mistakes = schema.keys.filter { !keywords.contains($0) }.map { "\(place): the schema uses \($0)" }
    if let choices = schema["anyOf"] as? [[String: Any]] {
      let results = choices.map { Self.mistakes(in: value, by: $0, at: place) }
      if !results.contains([]) { mistakes += results.flatMap(\.self) }
    }
    let types = schema["type"].map { $0 as? [String] ?? [$0 as? String ?? ""] }
    if let types, !types.contains(where: { isOf($0, value) }) { mistakes.append("\(place): is not a \(types)") }
    if let choices = schema["enum"] as? [String], !(value is NSNull), !choices.contains(value as? String ?? "") {
      mistakes.append("\(place): \(value) is not one of \(choices)")
    }
    if let only = schema["const"], "\(only)" != "\(value)" { mistakes.append("\(place): is not \(only)") }
    if let least = schema["minimum"] as? Double, let number = value as? Double, number < least {
      mistakes.append("\(place): \(number) is less than \(least)")
    }
    if let pattern = schema["pattern"] as? String, let text = value as? String,
      text.range(of: pattern, options: .regularExpression) == nil
    {
      mistakes.append("\(place): \(text) does not match \(pattern)")
    }
    if let members = value as? [String: Any] { mistakes += Self.mistakes(of: members, by: schema, at: place) }
    if let elements = value as? [Any], let items = schema["items"] as? [String: Any] {
      mistakes += elements.enumerated().flatMap { Self.mistakes(in: $1, by: items, at: "\(place)[\($0)]") }
    }
    return mistakes
  }

  private static func mistakes(of members: [String: Any], by schema: [String: Any], at place: String) -> [String] {
    let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
    let missing = (schema["required"] as? [String] ?? []).filter { members[$0] == nil }
    return missing.map { "\(place).\($0): is missing" }
      + members.flatMap { key, value -> [String] in
        if let property = properties[key] { return mistakes(in: value, by: property, at: "\(place).\(key)") }
        switch schema["additionalProperties"] {
        case let other as [String: Any]: return mistakes(in: value, by: other, at: "\(place).\(key)")
        case let isAllowed as Bool where !isAllowed: return ["\(place).\(key): is not in the schema"]
        default: return []
        }
      }
  }

  private static func isOf(_ type: String, _ value: Any) -> Bool {
    switch type {
    case "object": value is [String: Any]
    case "array": value is [Any]
    case "string": value is String
    case "null": value is NSNull
    case "boolean": value is Bool
    case "integer": (value as? Double).map { $0 == $0.rounded() } ?? (value is Int)
    case "number": value is Double || value is Int
    default: false
    }
  }

  private static func properties(of schema: [String: Any], in path: String) -> [String] {
    let choices = (schema["anyOf"] as? [[String: Any]] ?? []).flatMap { properties(of: $0, in: path) }
    let own = (schema["properties"] as? [String: [String: Any]] ?? [:]).flatMap { key, property in
      [path + key] + properties(of: property, in: "\(path)\(key).")
        + ((property["items"] as? [String: Any]).map { properties(of: $0, in: "\(path)\(key)[].") } ?? [])
    }
    return choices + own
  }
}
