internal import Crypto
internal import CurlHTTP
internal import HTTPStorage
internal import SyncKit

/// A request as it is signed: the path and the query as they are sent, and the headers that the signature covers.
struct SignedParts: Sendable {
  var method: String
  /// The encoded path; S3 does not normalise it.
  var path: String
  var query: [(name: String, value: [UInt8])] = []
  var headers: [HTTPHeader]
  /// The SHA-256 of the body in hexadecimal digits, or `UNSIGNED-PAYLOAD`.
  var payload: String

  /// The query, sorted by encoded name, each name with a value.
  var encodedQuery: String {
    query.map { (PercentCoding.encoded($0.name.utf8), PercentCoding.encoded($0.value)) }
      .sorted { $0 < $1 }.map { "\($0)=\($1)" }.joined(separator: "&")
  }
}

/// Signature Version 4 for S3 (AWS, "Signature Calculations for the Authorization Header").
///
/// The path is encoded once and not normalised, unlike for any other service of AWS. The signature covers the conditions of a
/// request, so a proxy that removes a condition causes a refusal instead of a lost edit.
struct Signature: Sendable {
  var keys: AccessKeys
  var region: String

  static let emptyPayload = Digest.empty.description

  private static let algorithm = "AWS4-HMAC-SHA256"

  /// Returns the header `Authorization`.
  func authorization(for parts: SignedParts, at time: SigningTime) -> HTTPHeader {
    let names = parts.headers.map { $0.name.lowercased() }.sorted().joined(separator: ";")
    return HTTPHeader(
      "Authorization",
      "\(Self.algorithm) Credential=\(keys.id)/\(scope(time)), SignedHeaders=\(names), Signature=\(signature(of: parts, at: time))"
    )
  }

  /// Returns the query of a request that is signed in its query and that the server refuses `seconds` after `time`.
  func query(for parts: SignedParts, at time: SigningTime, expiringAfter seconds: Int) -> String {
    var parts = parts
    parts.payload = "UNSIGNED-PAYLOAD"
    let names = parts.headers.map { $0.name.lowercased() }.sorted().joined(separator: ";")
    parts.query += [
      ("X-Amz-Algorithm", Self.algorithm), ("X-Amz-Credential", "\(keys.id)/\(scope(time))"),
      ("X-Amz-Date", time.text), ("X-Amz-Expires", "\(seconds)"), ("X-Amz-SignedHeaders", names),
    ].map { ($0.0, Array($0.1.utf8)) }
    if let token = keys.sessionToken { parts.query.append(("X-Amz-Security-Token", Array(token.utf8))) }
    return parts.encodedQuery + "&X-Amz-Signature=" + signature(of: parts, at: time)
  }

  private func scope(_ time: SigningTime) -> String { "\(time.day)/\(region)/s3/aws4_request" }

  private func signature(of parts: SignedParts, at time: SigningTime) -> String {
    let headers = parts.headers.map { ($0.name.lowercased(), $0.value.trimmingBlanks) }.sorted { $0.0 < $1.0 }
    let request = [
      parts.method, parts.path, parts.encodedQuery, headers.map { "\($0):\($1)\n" }.joined(),
      headers.map(\.0).joined(separator: ";"), parts.payload,
    ].joined(separator: "\n")
    let text = [Self.algorithm, time.text, scope(time), Digest(of: Array(request.utf8)).description]
      .joined(separator: "\n")
    return Digest(bytes: Array(Self.hmac(Array(text.utf8), key(time))))?.description ?? ""
  }

  /// The key for one day, region and service.
  private func key(_ time: SigningTime) -> SymmetricKey {
    var key = SymmetricKey(data: Array("AWS4\(keys.secret)".utf8))
    for part in [time.day, region, "s3", "aws4_request"] {
      key = SymmetricKey(data: Self.hmac(Array(part.utf8), key))
    }
    return key
  }

  private static func hmac(_ bytes: [UInt8], _ key: SymmetricKey) -> HMAC<SHA256>.MAC {
    HMAC<SHA256>.authenticationCode(for: bytes, using: key)
  }
}

/// A time in the form that signatures use, `20130524T000000Z`.
struct SigningTime: Hashable, Sendable {
  let text: String

  init(_ time: Timestamp) { text = CivilTime(time).description.filter { $0 != "-" && $0 != ":" } }

  /// The date, `20130524`.
  var day: String { String(text.prefix(8)) }
}

extension String {
  fileprivate var trimmingBlanks: String {
    var text = self[...]
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
