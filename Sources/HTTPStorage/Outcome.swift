package import CurlHTTP
package import SyncKit

/// The result of a request that changes something.
package enum Outcome: Sendable {
  case answered(Answer)
  /// It was not carried out, for this reason.
  case notSent(SyncError)
  /// It is unknown if it was carried out: the answer was lost.
  case lost(SyncError)

  /// Classifies a failed exchange; throws `failure`, its error for people, if it ends the pass: the task was cancelled, or the
  /// body's source is unusable.
  package init(of error: HTTPError, _ failure: SyncError) throws(SyncError) {
    switch error.kind {
    case .cancelled: throw failure
    case .body(let cause as SyncError) where cause.reach == .pass: throw cause
    case .unreachable, .untrusted, .refused, .redirected, .body: self = .notSent(failure)
    case .broken, .timedOut, .tooLarge: self = .lost(failure)
    }
  }

  /// The status, or 0 without an answer.
  package var status: Int { if case .answered(let answer) = self { answer.status } else { 0 } }

  /// True if the request was answered, and carried out.
  package var isGood: Bool { if case .answered(let answer) = self { answer.isGood } else { false } }
}
