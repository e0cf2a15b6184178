import Foundation
internal import SettingsRegistry

/// A received request.
struct Call: Sendable {
  var method: String
  var path: String
  var query: [String: String] = [:]
  /// By lower-case name.
  var headers: [String: String] = [:]
  var body: [UInt8] = []

  /// The called route of the API; nil if the path is not one.
  var route: String? { path.hasPrefix("/2/") ? String(path.dropFirst(3)) : nil }

  /// The fields of a form in the body.
  var form: [String: String] {
    var components = URLComponents()
    components.percentEncodedQuery = String(decoding: body, as: UTF8.self).replacingOccurrences(of: "+", with: "%20")
    let items = components.queryItems ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
  }

  /// The argument of a route whose body is JSON.
  func argument<Argument: Decodable>(_ type: Argument.Type = Argument.self) throws(BadInput) -> Argument {
    let isJSON = (headers["content-type"] ?? "").hasPrefix("application/json")
    guard isJSON || body.isEmpty else { throw BadInput("Bad HTTP \"Content-Type\" header") }
    return try Self.decode(body.isEmpty ? Array("null".utf8) : body, from: "request body")
  }

  /// The argument of a route whose body is a content.
  func headerArgument<Argument: Decodable>(_ type: Argument.Type = Argument.self) throws(BadInput) -> Argument {
    guard let text = headers["dropbox-api-arg"] else { throw BadInput("Must provide HTTP header \"Dropbox-API-Arg\"") }
    return try Self.decode(Array(text.utf8), from: "HTTP header \"Dropbox-API-Arg\"")
  }

  private static func decode<Argument: Decodable>(_ bytes: [UInt8], from place: String) throws(BadInput) -> Argument {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    do { return try decoder.decode(Argument.self, from: Data(bytes)) } catch {
      throw BadInput("\(place): could not decode input as JSON")
    }
  }
}

/// The answer to a call.
struct Reply: Sendable {
  var status: Int
  var headers: [(name: String, value: String)] = []
  var body: [UInt8] = []
  /// True if the connection breaks before the answer is complete.
  var isCut = false

  init(status: Int = 200, json: JSON) {
    self.status = status
    headers = [("Content-Type", "application/json")]
    body = json.ascii
  }

  init(status: Int, text: String, type: String = "text/plain; charset=utf-8") {
    self.status = status
    headers = [("Content-Type", type)]
    body = Array(text.utf8)
  }

  init(content: [UInt8], status: Int, headers: [(name: String, value: String)]) {
    self.status = status
    self.headers = [("Content-Type", "application/octet-stream")] + headers
    body = content
  }

  /// Closes the connection without an answer.
  static var cut: Reply {
    var reply = Reply(status: 200, text: "")
    reply.isCut = true
    return reply
  }
}
