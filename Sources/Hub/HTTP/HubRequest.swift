import SyncKit

/// An HTTP request as a value.
package struct HubRequest: Sendable {
  /// The method, in capitals.
  package var method: String
  /// The path as sent, percent-encoded, without the query.
  package var path: String
  /// The query as sent, without the question mark; empty for none.
  package var query: String
  /// The fields of the head by their names in small letters.
  package var fields: [String: String]
  /// The body.
  package var body: [UInt8]
  /// The address of the client.
  package var address: String

  /// Creates a request.
  package init(
    _ method: String, _ path: String, query: String = "", fields: [String: String] = [:], body: [UInt8] = [],
    address: String = "127.0.0.1"
  ) {
    (self.method, self.path, self.query, self.fields) = (method, path, query, fields)
    (self.body, self.address) = (body, address)
  }

  /// The values of the query by name; the first one counts.
  package var parameters: [String: String] {
    let pairs = query.split(separator: "&").map { part in
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = sides.count > 1 ? String(sides[1]).replacing("+", with: " ") : ""
      return (PercentEncoding.decoded(String(sides[0])) ?? "", PercentEncoding.decoded(value) ?? "")
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// The value of a cookie; nil if it was not sent.
  package func cookie(_ name: String) -> String? {
    for part in (fields["cookie"] ?? "").split(separator: ";") {
      let sides = part.split(separator: "=", maxSplits: 1)
      if sides.count == 2, sides[0].allSatisfy({ $0 != "\0" }), sides[0].drop(while: { $0 == " " }) == name {
        return String(sides[1])
      }
    }
    return nil
  }
}

/// The encoding of bytes as `%41` (RFC 3986, 2.1).
enum PercentEncoding {
  /// Returns the decoded text; nil if it is not encoded UTF-8.
  static func decoded(_ text: String) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let first = rest.popFirst() {
      guard first == UInt8(ascii: "%") else {
        bytes.append(first)
        continue
      }
      guard rest.count >= 2, let byte = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

/// An HTTP response as a value.
package struct HubResponse: Sendable {
  /// The content of a response.
  package enum Body: Sendable {
    /// All of it.
    case bytes([UInt8])
    /// An event stream that lasts as long as the client listens.
    case events(EventSubscription)
  }

  /// The status code.
  package var status: Int
  /// The fields of the head, in order.
  package var fields: [(name: String, value: String)]
  /// The content.
  package var body: Body

  /// A response with content of a type.
  package init(_ status: Int, _ type: String, _ bytes: [UInt8], _ fields: [(name: String, value: String)] = []) {
    self.status = status
    self.fields = [("Content-Type", type)] + fields
    body = .bytes(bytes)
  }

  init(events: EventSubscription) {
    status = 200
    fields = [("Content-Type", "text/event-stream"), ("X-Accel-Buffering", "no")]
    body = .events(events)
  }

  /// A response with a JSON document.
  init(_ json: JSON, status: Int = 200, _ fields: [(name: String, value: String)] = []) {
    self.init(status, "application/json", Array(json.line.utf8), fields)
  }
}
