/// Passes the body of a request to its transfer, no faster than the server accepts it.
struct Upload {
  private let body: any HTTPBody
  private let transfer: Transfer

  init(_ body: any HTTPBody, _ transfer: Transfer) {
    self.body = body
    self.transfer = transfer
  }

  /// Reads the body to its end, or until the server has answered.
  ///
  /// - Parameter start: called when the first bytes are available, so that no connection waits for a slow source.
  func run(start: () -> Void) async throws {
    var hasStarted = false
    do {
      var reader = try body.reader()
      var rest = body.size
      while let chunk = try await reader.next() {
        rest -= chunk.count
        guard rest >= 0 else { throw HTTPError(.broken, "the body is longer than it was announced") }
        let isWanted = await transfer.offer(chunk)
        if !hasStarted { start() }
        hasStarted = true
        guard isWanted else { return }
      }
      guard rest == 0 else { throw HTTPError(.broken, "the body is shorter than it was announced") }
    } catch {
      transfer.cancel()
      throw error
    }
    transfer.endBody()
    if !hasStarted { start() }
  }
}
