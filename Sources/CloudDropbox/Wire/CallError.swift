internal import CurlHTTP
internal import SyncKit

/// The reason why a call failed.
struct CallError: Error, Sendable {
  enum Kind: Sendable {
    /// The route rejected the call; nothing was changed.
    case refused(Refusal)
    /// The call was not carried out.
    case notDone
    /// It is unknown if the call was carried out.
    case lost
    /// The root namespace of the paths is not the one that was sent.
    case rootMoved(String)
  }

  var kind: Kind
  /// The error for people.
  var error: SyncError

  var refusal: Refusal? { if case .refused(let refusal) = kind { refusal } else { nil } }

  /// True if the same call may succeed shortly.
  var isTransient: Bool {
    switch kind {
    case .lost: true
    case .notDone: error.code == .unavailable
    case .refused, .rootMoved: false
    }
  }
}

extension SyncError {
  static let cancelledByUs = SyncError(.cancelled, "the pass was stopped while it waited for Dropbox")
}

extension CallError {
  /// The error for a failed HTTP exchange.
  init(_ failure: HTTPError, _ route: String) {
    switch failure.kind {
    case .cancelled: self.init(kind: .notDone, error: .cancelledByUs)
    case .body(let cause as SyncError): self.init(kind: .notDone, error: cause)
    case .body:
      self.init(kind: .notDone, error: SyncError(.unexpected, "cannot read a file while sending it to Dropbox"))
    case .untrusted:
      self.init(
        kind: .notDone,
        error: SyncError(.unavailable, "the certificate of Dropbox is not trusted: \(failure.message)"))
    case .redirected(let target):
      self.init(
        kind: .notDone,
        error: SyncError(
          .unavailable, "Dropbox redirects to \(target); the sign-in is not sent there. Check the network"))
    case .refused:
      self.init(kind: .notDone, error: SyncError(.invalidSettings, "cannot use Dropbox: \(failure.message)"))
    case .unreachable:
      self.init(kind: .notDone, error: SyncError(.unavailable, "cannot reach Dropbox: \(failure.message)"))
    case .broken, .timedOut, .tooLarge:
      self.init(
        kind: .lost,
        error: SyncError(.unavailable, "the answer of Dropbox to \(route) did not arrive: \(failure.message)"))
    }
  }
}
