internal import CurlHTTP
internal import ExpatXML
internal import HTTPStorage
internal import SyncKit

/// The preconditions of a request.
struct Preconditions: Sendable {
  var headers: [HTTPHeader] = []

  static let none = Preconditions()
  /// No file exists.
  static let absent = Preconditions(headers: [HTTPHeader("If-None-Match", "*")])

  /// The version with this tag is present.
  static func tag(_ tag: EntityTag) -> Preconditions { Preconditions(headers: [HTTPHeader("If-Match", tag.quoted)]) }

  /// We hold the lock with this token on `url`, or on the URL of the request (RFC 4918, 10.4).
  static func lock(_ token: String, on url: String? = nil) -> Preconditions {
    Preconditions(headers: [HTTPHeader("If", (url.map { "<\($0)> " } ?? "") + "(<\(token)>)")])
  }
}

extension Server {
  /// PUT with a content length: some proxies turn chunked requests into empty files.
  ///
  /// If the answer is lost, it is sent once more on a new connection. That is only correct because every PUT of a file is
  /// either to a name that no other client knows, or under a condition that holds once. With an `end` it is sent only once,
  /// because another client may have got the lock in between.
  ///
  /// - Parameter end: the time by which it must be done, because its lock expires.
  func put(
    _ body: any HTTPBody, at url: String, if condition: Preconditions = .none,
    before end: ContinuousClock.Instant? = nil
  ) async throws(SyncError) -> Outcome {
    let headers = condition.headers + [HTTPHeader("Content-Type", "application/octet-stream")]
    let request = HTTPRequest("PUT", url, headers: headers, body: body)
    guard let end else { return try await changeTwice(request) }
    return try await change(request, before: end)
  }

  /// Sends a request, and if its answer is lost once more on a new connection: often the server has only closed an idle
  /// connection.
  private func changeTwice(_ request: HTTPRequest) async throws(SyncError) -> Outcome {
    let outcome = try await change(request)
    guard case .lost = outcome else { return outcome }
    var again = request
    again.needsFreshConnection = true
    return try await change(again)
  }

  func delete(_ url: String, if condition: Preconditions = .none) async throws(SyncError) -> Outcome {
    try await change(HTTPRequest("DELETE", url, headers: condition.headers))
  }

  /// MOVE with a full URL as destination (Apache rejects a path) and always with `Overwrite` (rclone reads its absence as F,
  /// all others as T).
  func move(
    _ url: String, to target: String, overwriting: Bool, if condition: Preconditions = .none
  ) async throws(SyncError) -> Outcome {
    let headers =
      condition.headers + [HTTPHeader("Destination", target), HTTPHeader("Overwrite", overwriting ? "T" : "F")]
    return try await change(HTTPRequest("MOVE", url, headers: headers))
  }

  /// MOVE of an upload, whose name no other client knows: if it is sent twice, the second one finds nothing to move.
  func moveUpload(
    _ url: String, to target: String, overwriting: Bool, if condition: Preconditions = .none
  ) async throws(SyncError) -> Outcome {
    let headers =
      condition.headers + [HTTPHeader("Destination", target), HTTPHeader("Overwrite", overwriting ? "T" : "F")]
    return try await change(HTTPRequest("MOVE", url, headers: headers, mayBeRepeated: true))
  }

  /// Deletes a file whose name only this device knows. The request is retried if its response is lost, and after an internal
  /// error of the server: else the upload stays beside the person's files until the next pass.
  func deleteUpload(_ url: String) async throws(SyncError) -> Outcome {
    let request = HTTPRequest("DELETE", url, mayBeRepeated: true)
    return try await repeating(after: Self.internalErrors) { () throws(SyncError) in try await change(request) }
  }

  func makeFolder(_ url: String) async throws(SyncError) -> Outcome {
    try await change(HTTPRequest("MKCOL", url, mayBeRepeated: true))
  }

  /// LOCK, exclusive and for this file only.
  ///
  /// - Parameter owner: an identification of this device that no other client uses.
  func lock(_ url: String, as owner: String, seconds: Int) async throws(SyncError) -> Outcome {
    let body = HTTPBytes(
      """
      <?xml version="1.0" encoding="utf-8"?><D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope>\
      <D:locktype><D:write/></D:locktype><D:owner>\(owner)</D:owner></D:lockinfo>
      """)
    let headers = [
      HTTPHeader("Depth", "0"), HTTPHeader("Timeout", "Second-\(seconds)"),
      HTTPHeader("Content-Type", "application/xml; charset=utf-8"),
    ]
    return try await changeTwice(HTTPRequest("LOCK", url, headers: headers, body: body, timeout: .seconds(60)))
  }

  /// UNLOCK, repeated after an internal error of the server: a lock that stays excludes all clients until it expires.
  @discardableResult
  func unlock(_ url: String, _ token: String) async throws(SyncError) -> Outcome {
    let request = HTTPRequest("UNLOCK", url, headers: [HTTPHeader("Lock-Token", "<\(token)>")], mayBeRepeated: true)
    return try await repeating(after: Self.internalErrors) { () throws(SyncError) in try await change(request) }
  }

  /// Returns the granted duration of a lock in seconds, if the answer to LOCK has it: `Second-60` (RFC 4918, 10.7).
  static func lockSeconds(in answer: Answer) -> Int? {
    let content = MultistatusReader()
    let reader = XMLReader(content, namespace: "DAV:")
    guard reader.read(answer.body), reader.finish() else { return nil }
    return content.lockSeconds
  }

  /// Returns the token in the answer to LOCK.
  static func token(in answer: Answer) -> String? {
    guard let line = answer.header("Lock-Token") else { return nil }
    let token = line.drop { $0 == "<" || $0 == " " }.prefix { $0 != ">" }
    return token.isEmpty || token.unicodeScalars.contains { $0.value < 0x21 || $0 == "<" } ? nil : String(token)
  }
}
