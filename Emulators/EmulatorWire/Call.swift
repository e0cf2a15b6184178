import Foundation
package import SettingsRegistry

/// A received request.
package struct Call: Sendable {
  package var method: String
  package var path: String
  package var query: [String: String] = [:]
  /// By lower-case name.
  package var headers: [String: String] = [:]
  package var body: [UInt8] = []

  package init(
    method: String, path: String, query: [String: String] = [:], headers: [String: String] = [:], body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
  }

  /// The fields of a form in the body.
  package var form: [String: String] {
    var components = URLComponents()
    components.percentEncodedQuery = String(decoding: body, as: UTF8.self).replacingOccurrences(of: "+", with: "%20")
    let items = components.queryItems ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
  }

  /// Decodes JSON whose keys are in snake case.
  ///
  /// - Parameter place: the part of the request that contains it, for the error
  package static func decode<Argument: Decodable>(
    _ bytes: [UInt8], as type: Argument.Type = Argument.self, from place: String
  ) throws(BadInput) -> Argument {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    do { return try decoder.decode(Argument.self, from: Data(bytes)) } catch {
      throw BadInput("\(place): could not decode input as JSON")
    }
  }
}

/// A mistake of the calling program.
package struct BadInput: Error {
  package var message: String

  package init(_ message: String) { self.message = message }
}

/// The answer to a call.
package struct Reply: Sendable {
  package var status: Int
  package var headers: [(name: String, value: String)] = []
  package var body: [UInt8] = []
  /// True if the connection breaks before the answer is complete.
  package var isCut = false

  package init(status: Int = 200, json: JSON) {
    self.status = status
    headers = [("Content-Type", "application/json")]
    body = json.ascii
  }

  package init(status: Int, text: String, type: String = "text/plain; charset=utf-8") {
    self.status = status
    headers = [("Content-Type", type)]
    body = Array(text.utf8)
  }

  package init(content: [UInt8], status: Int, headers: [(name: String, value: String)]) {
    self.status = status
    self.headers = [("Content-Type", "application/octet-stream")] + headers
    body = content
  }

  package init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Closes the connection without an answer.
  package static var cut: Reply {
    var reply = Reply(status: 200, text: "")
    reply.isCut = true
    return reply
  }
}
