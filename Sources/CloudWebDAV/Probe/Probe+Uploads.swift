internal import CurlHTTP
internal import SyncKit

extension Probe {
  /// Aborts an upload: does a reader ever see a partial file? The result depends on timing, so it only decides which versions are
  /// read again.
  func probeUploads(_ traits: inout Traits) async throws(SyncError) {
    let old = String(repeating: "old ", count: 1 << 14)
    try await putRequired(old, at: "upload.org")
    traits.replacesAtOnce = try await survivesBreakingOff("upload.org", old)
  }

  /// Sends half a file and aborts: the old version must stay, during and after the upload.
  private func survivesBreakingOff(_ name: String, _ old: String) async throws(SyncError) -> Bool {
    // With a growing delay: a server that has not begun to process the upload seems to hide it.
    for number in 0..<3 {
      let body = HalvedBody(size: 4 * old.utf8.count)
      let rest = min(patience * (1 << number), Self.longestPatience)
      let isHidden = try await during(body, name, after: rest) { () throws(SyncError) in
        try await text(of: name) == old
      }
      guard isHidden else { return false }
    }
    // The server takes some time to notice the end of the connection.
    for _ in 0..<3 {
      try await server.sleep(for: patience)
      guard try await text(of: name) == old else { return false }
    }
    return true
  }

  /// Runs `work` while half of `body` is sent, some time after that, and aborts the upload.
  private func during<Value: Sendable>(
    _ body: HalvedBody, _ name: String, after rest: Duration, _ work: () async throws(SyncError) -> Value
  ) async throws(SyncError) -> Value {
    async let upload: Void = send(body, to: name)
    await body.untilHalf()
    // The sent half must reach the server's disk before it can be seen there.
    try await server.sleep(for: rest)
    let value: Result<Value, SyncError>
    do throws(SyncError) { value = .success(try await work()) } catch { value = .failure(error) }
    body.breakOff()
    await upload
    return try value.get()
  }

  /// Sends a body that is aborted, so its result has no meaning.
  private func send(_ body: HalvedBody, to name: String) async {
    defer { body.reachHalf() }
    _ = try? await server.put(body, at: url(name))
  }
}
