internal import HTTPStorage
internal import SyncKit

/// The time that GitHub asks a client to wait (GitHub, "Rate limits for the REST API").
enum RateLimit {
  /// The wait in seconds after a limit that the answer does not explain.
  private static let unexplained: Int64 = 60

  /// Returns the seconds to wait; nil if the answer is not about a limit.
  static func wait(in answer: Answer, now: Timestamp) -> Int64? {
    guard answer.status == 403 || answer.status == 429 else { return nil }
    if let seconds = answer.header("Retry-After").flatMap({
      ServerPause.seconds(in: $0, date: answer.header("Date"))
    }) {
      return seconds
    }
    if answer.header("X-RateLimit-Remaining") == "0" {
      guard let reset = answer.header("X-RateLimit-Reset").flatMap({ Int64($0) }) else { return unexplained }
      // The reset is a time of the server's clock.
      let (wait, overflow) = reset.subtractingReportingOverflow((answer.date ?? now).seconds)
      return overflow ? unexplained : max(1, wait)
    }
    return answer.status == 429 || answer.message.lowercased().contains("secondary rate limit") ? unexplained : nil
  }
}
