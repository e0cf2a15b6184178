internal import HTTPStorage
internal import SyncKit

extension Server {
  /// Internal errors of a server that soon pass: Apache answers 500 while many wait for its lock database.
  static let internalErrors: Set<Int> = [500, 502, 504]

  /// Answers that a MOVE to a free name gets only briefly. rclone, like every server based on golang.org/x/net/webdav, locks the
  /// names of a request for its duration, and answers 423 to another request on one of them.
  static let briefRefusals = internalErrors.union([423])

  /// Sends a request, and sends it again with growing pauses while it is answered by one of `statuses`.
  ///
  /// - Parameter attempts: the maximum number of requests. The pauses between eight take about 13 seconds.
  func repeating(
    after statuses: Set<Int>, attempts: Int = 4, _ send: () async throws(SyncError) -> Outcome
  ) async throws(SyncError) -> Outcome {
    var outcome = try await send()
    for attempt in 1..<attempts where statuses.contains(outcome.status) {
      try await pauseRandomly(around: .milliseconds(50 << attempt))
      outcome = try await send()
    }
    return outcome
  }
}
