internal import CurlHTTP
internal import SyncKit

/// Why a call has no result.
struct CallError: Error, Sendable {
  enum Kind: Sendable {
    /// The route itself says no; nothing was changed.
    case refused(Refusal)
    /// Nothing was carried out.
    case notDone
    /// It may have been carried out or not.
    case lost
    /// The paths start from another namespace than we said.
    case rootMoved(String)
  }

  var kind: Kind
  /// The same for a person.
  var error: SyncError

  var refusal: Refusal? { if case .refused(let refusal) = kind { refusal } else { nil } }

  /// True if the same call may well succeed in a moment.
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
  /// A failed exchange.
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
