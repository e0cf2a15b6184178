package import CurlHTTP
package import SyncKit

extension HTTPError {
  /// True if the same request may succeed shortly.
  package var isTransient: Bool {
    switch kind {
    case .unreachable, .broken, .timedOut: true
    case .untrusted, .tooLarge, .body, .cancelled, .redirected, .refused: false
    }
  }

  /// The error for people.
  ///
  /// - Parameters:
  ///   - method: the method of the request
  ///   - location: the server or its storage, as the user knows it
  ///   - setting: the setting that holds the server's address
  package func syncError(_ method: String, at location: String, setting: String) -> SyncError {
    switch kind {
    case .cancelled: .stopped(waitingFor: location)
    case .body(let cause as SyncError): cause
    case .body: SyncError(.unexpected, "cannot read a file while sending it to \(location)")
    case .untrusted:
      SyncError(
        .unavailable,
        "the certificate of \(location) is not trusted: \(message); set `ca-file` if the server uses a private CA")
    case .redirected(let target):
      SyncError(.unavailable, "\(location) redirects to \(target); set `\(setting)` to that address")
    case .refused: SyncError(.invalidSettings, "cannot use \(location): \(message)")
    case .unreachable: SyncError(.unavailable, "cannot reach \(location): \(message)")
    case .timedOut: SyncError(.unavailable, "\(location) does not answer \(method): \(message)")
    case .broken, .tooLarge:
      SyncError(.unavailable, "the answer of \(location) to \(method) is unusable: \(message)")
    }
  }
}

extension SyncError {
  /// The error of a pass that was cancelled during a request.
  package static func stopped(waitingFor location: String) -> SyncError {
    SyncError(.cancelled, "the pass was stopped while it waited for \(location)")
  }
}
