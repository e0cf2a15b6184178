internal import CurlHTTP
internal import HTTPStorage
import SyncKit

/// What becomes of a message after an attempt to send it (RFC 8030, section 5, and the answers of the services).
enum PushOutcome: Hashable, Sendable {
  /// The service has it.
  case delivered
  /// The service does not have the subscription any longer.
  case gone
  /// The service refuses the message for good.
  case refused(status: Int)
  /// It was not sent, because it is over.
  case needless
  /// It may be taken later: after this number of seconds, if the service says so.
  case later(seconds: Int64?)

  /// The pauses after failed attempts, in seconds; the last one repeats.
  private static let pauses: [Int64] = [60, 300, 1_800]
  /// The longest pause that a service may ask for, in seconds.
  private static let longestPause: Int64 = 6 * 3_600

  init(status: Int, retryAfter: String?, date: String?) {
    switch status {
    case 200..<300: self = .delivered
    case 404, 410: self = .gone
    case 408, 429, 500...:
      let wait = retryAfter.flatMap { ServerPause.seconds(in: $0, date: date) }
      self = .later(seconds: wait.map { min($0, Self.longestPause) })
    default: self = .refused(status: status)
    }
  }

  /// The pause after a failed attempt, in seconds.
  static func pause(after attempts: Int) -> Int64 { pauses[min(attempts, pauses.count - 1)] }
}
