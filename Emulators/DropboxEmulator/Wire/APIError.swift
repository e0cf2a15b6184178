internal import EmulatorWire
internal import SettingsRegistry

/// A route's own error: a union of tags, sent with status 409.
struct APIError: Error {
  var status = 409
  /// The tags as a text, followed by a random number of dots, so that no client relies on it.
  var summary: String
  var union: JSON

  init(_ tags: String...) { self.init(tags) }

  init(_ tags: [String]) { self.init(summary: tags.map { $0 + "/" }.joined(), .union(tags)) }

  init(summary: String, _ union: JSON, status: Int = 409) {
    self.status = status
    self.summary = summary + String(repeating: ".", count: .random(in: 1...3))
    self.union = union
  }

  var reply: Reply { Reply(status: status, json: ["error_summary": .string(summary), "error": union]) }
}

extension JSON {
  /// Nests tags: `["path", "not_found"]` is `{".tag": "path", "path": {".tag": "not_found"}}`.
  static func union(_ tags: [String]) -> JSON {
    guard let first = tags.first else { return .null }
    var union: JSON = [".tag": .string(first)]
    if tags.count > 1 { union[first] = .union(Array(tags.dropFirst())) }
    return union
  }
}
