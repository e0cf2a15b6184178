package import CurlHTTP
package import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The complete answer to a request, with a small body.
package struct Answer: Sendable {
  /// The status code, such as 200.
  package var status: Int
  /// The header lines in their original order.
  package var headers: [HTTPHeader]
  /// The body, at most as long as the request allows.
  package var body: [UInt8]

  /// Reads the rest of `response`. Throws the errors of ``HTTPResponse/bytes()``.
  package init(_ response: HTTPResponse) async throws(HTTPError) {
    self.init(status: response.status, headers: response.headers, body: try await response.bytes())
  }

  /// Creates an answer from its parts.
  package init(status: Int, headers: [HTTPHeader], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Returns the value of the first header line with this name, ignoring case; nil without one.
  package func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// True if the request was carried out.
  package var isGood: Bool { (200..<300).contains(status) }

  /// The time by the server's clock; nil if the answer has none.
  package var date: Timestamp? { header("Date").flatMap(HTTPDate.time) }
}

extension Answer {
  /// Decodes the body, whose keys are in snake case; nil if it is not such a document.
  package func value<Value: Decodable>(_ type: Value.Type) -> Value? {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try? decoder.decode(type, from: Data(body))
  }
}
