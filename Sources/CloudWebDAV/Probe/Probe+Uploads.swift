internal import CurlHTTP
internal import SyncKit

extension Probe {
  /// Overtakes one upload with another, and aborts one: do conditions hold to the end, and does a reader ever see a partial
  /// file?
  func probeUploads(_ traits: inout Traits) async throws(SyncError) {
    let old = String(repeating: "old ", count: 1 << 14)
    try await putRequired(old, at: "upload.org")
    traits.replacesAtOnce = try await survivesBreakingOff("upload.org", old)
    guard traits.replacesAtOnce else {
      (traits.guardsUpdates, traits.guardsCreations) = (false, false)
      return
    }
    if traits.guardsCreations {
      traits.guardsCreations = try await eachTime { number, rest throws(SyncError) in
        try await isOvertakenSafely("new \(number).org", .absent, after: rest)
      }
    }
    if traits.guardsUpdates {
      traits.guardsUpdates = try await eachTime { _, rest throws(SyncError) in
        guard let tag = try await facts(of: "upload.org")?.tag else { return false }
        return try await isOvertakenSafely("upload.org", .tag(tag), after: rest)
      }
    }
  }

  /// Returns true if something holds three times, with a growing delay between the start of an upload and the interfering
  /// request: a server that has not begun to process the upload by then seems to pass the test.
  private func eachTime(_ holds: (Int, Duration) async throws(SyncError) -> Bool) async throws(SyncError) -> Bool {
    for number in 0..<3 {
      guard try await holds(number, min(patience * (1 << number), Self.longestPatience)) else { return false }
    }
    return true
  }

  /// Sends half a file and aborts: the old version must stay, during and after the upload.
  private func survivesBreakingOff(_ name: String, _ old: String) async throws(SyncError) -> Bool {
    let isHidden = try await eachTime { _, rest throws(SyncError) in
      let body = HalvedBody(size: 4 * old.utf8.count)
      return try await during(body, name, .none, after: rest) { () throws(SyncError) in
        let seen = try await text(of: name) == old
        body.breakOff()
        return seen
      }.value
    }
    guard isHidden else { return false }
    // The server takes some time to notice the end of the connection.
    for _ in 0..<3 {
      try await server.sleep(for: patience)
      guard try await text(of: name) == old else { return false }
    }
    return true
  }

  /// Sends half a file, then a complete other one, then the second half; both under a condition that only one of them can meet.
  /// A rejection must be due to the condition, or to the other upload that is still running.
  private func isOvertakenSafely(
    _ name: String, _ condition: Preconditions, after rest: Duration
  ) async throws(SyncError) -> Bool {
    let body = HalvedBody(size: 1 << 16)
    let (first, second) = try await during(body, name, condition, after: rest) { () throws(SyncError) in
      let second = try await put("second\n", at: name, if: condition)
      body.goOn()
      return second
    }
    let ends = [try requireConclusive(first, "PUT", name), second]
    return ends.filter(\.isGood).count == 1 && ends.contains { [412, 423].contains($0.status) }
  }

  /// Runs `work` while half of `body` is sent, some time after that.
  private func during<Value: Sendable>(
    _ body: HalvedBody, _ name: String, _ condition: Preconditions, after rest: Duration,
    _ work: () async throws(SyncError) -> Value
  ) async throws(SyncError) -> (outcome: Outcome, value: Value) {
    async let upload = uploading(body, name, condition)
    await body.untilHalf()
    // The sent half must reach the server's disk before it can be seen there.
    try await server.sleep(for: rest)
    let value: Result<Value, SyncError>
    do throws(SyncError) { value = .success(try await work()) } catch { value = .failure(error) }
    body.breakOff()
    let outcome = await upload
    return (try outcome.get(), try value.get())
  }

  private func uploading(
    _ body: HalvedBody, _ name: String, _ condition: Preconditions
  ) async -> Result<Outcome, SyncError> {
    defer { body.reachHalf() }
    do throws(SyncError) { return .success(try await server.put(body, at: url(name), if: condition)) } catch {
      return .failure(error)
    }
  }
}
