internal import CurlHTTP
public import SyncKit

/// A client of a key-value store over HTTP: PUT, GET and DELETE of a key with `If-Match` and `If-None-Match`. A listing is at
/// `?after=KEY`, with one line for each key: the encoded key, the etag and the size.
public struct KeyValueStore: ObjectStore {
  public let address: String
  private let token: String
  private let client = HTTPClient(HTTPClient.Configuration(userAgent: "key-value-example"))

  public init(address: String, token: String) { (self.address, self.token) = (address, token) }

  public func list(page after: String?) async throws(SyncError) -> ObjectPage {
    let response = try await send("GET", "?after=\(after ?? "")")
    let body = try await bytes(of: response)
    let lines = String(decoding: body, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
    let objects = lines.compactMap { line -> (name: [UInt8], version: ObjectVersion)? in
      guard line.count == 3, let size = Int(line[2]) else { return nil }
      return (decoded(line[0]), ObjectVersion(etag: String(line[1]), size: size))
    }
    guard objects.count == lines.count else { throw SyncError(.unexpected, "the listing of \(address) is malformed") }
    return ObjectPage(objects, next: response.header("Next"))
  }

  public func get(_ path: SyncPath, into intake: any ContentIntake) async throws(SyncError) -> ObjectVersion? {
    let response = try await send("GET", key(path), expecting: [200, 404], atMost: .max)
    guard response.status == 200 else { return nil }
    try await intake.write(bytes(of: response))
    return ObjectVersion(etag: response.header("ETag") ?? "", size: response.announcedSize)
  }

  public func put(
    _ content: Content, at path: SyncPath, if condition: Condition
  ) async throws(SyncError) -> ObjectChange {
    let bytes = try await content.bytes(atMost: 64 << 20)
    let response = try await send("PUT", key(path), if: condition, HTTPBytes(bytes), expecting: [200, 412])
    return response.status == 412 ? .refused : .done(response.header("ETag").map { ObjectVersion(etag: $0) })
  }

  public func delete(_ path: SyncPath, if etag: Revision) async throws(SyncError) -> ObjectChange {
    let response = try await send("DELETE", key(path), if: .unchanged(etag), expecting: [200, 412])
    return response.status == 412 ? .refused : .done(nil)
  }

  /// The path in an address. Everything but `/` and unreserved characters is escaped (RFC 3986, 2.3).
  private func key(_ path: SyncPath) -> String {
    let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
    return path.bytes.map { byte in
      plain.contains(byte) ? String(UnicodeScalar(byte)) : (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
    }.joined()
  }

  /// The bytes of a key in a listing. Foundation would drop a byte order mark.
  private func decoded(_ key: Substring) -> [UInt8] {
    let parts = key.split(separator: "%", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(into: Array(parts[0].utf8)) { bytes, part in
      bytes += (UInt8(part.prefix(2), radix: 16).map { [$0] } ?? []) + part.dropFirst(2).utf8
    }
  }

  private func send(
    _ method: String, _ key: String, if condition: Condition? = nil, _ body: HTTPBytes? = nil,
    expecting statuses: [Int] = [200], atMost limit: Int = 1 << 20
  ) async throws(SyncError) -> HTTPResponse {
    let headers = [("Authorization", "Bearer \(token)")] + (condition.map { [$0.header] } ?? [])
    let request = HTTPRequest(
      method, "\(address)/\(key)", headers: headers.map { HTTPHeader($0.0, $0.1) }, body: body, answerLimit: limit)
    let response: HTTPResponse
    do throws(HTTPError) { response = try await client.send(request) } catch { throw failure(error) }
    if response.status == 401 { throw SyncError(.unauthorized, "\(address) does not accept the token") }
    guard statuses.contains(response.status) else {
      throw SyncError(.unavailable, "\(address) answered \(method) with status \(response.status)")
    }
    return response
  }

  private func bytes(of response: HTTPResponse) async throws(SyncError) -> [UInt8] {
    do throws(HTTPError) { return try await response.bytes() } catch { throw failure(error) }
  }

  private func failure(_ error: HTTPError) -> SyncError {
    if case .cancelled = error.kind { return SyncError(.cancelled, error.message) }
    return SyncError(.unavailable, "\(address) did not answer: \(error.message)")
  }
}
