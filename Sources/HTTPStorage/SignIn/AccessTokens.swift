package import SyncKit

/// An access token, valid for some hours.
package struct AccessToken: Sendable, Equatable {
  package var text: String
  package var expiry: Timestamp

  package init(text: String, expiry: Timestamp) {
    self.text = text
    self.expiry = expiry
  }

  /// Returns true if it is still valid in `seconds`.
  package func isValid(in seconds: Int64, now: Timestamp) -> Bool { expiry.seconds - now.seconds > seconds }
}

/// Caches a valid access token, and fetches one at a time for all callers.
package actor AccessTokens {
  /// Fetches a token that is valid for longer than `margin` seconds, and is not the rejected token `stale`.
  package typealias Fetch =
    @Sendable (_ stale: String?, _ margin: Int64) async throws(SyncError) -> AccessToken

  private let runtime: Runtime
  private let fetch: Fetch
  private var held: AccessToken?
  private var fetching: Task<Result<AccessToken, SyncError>, Never>?

  /// The time in seconds before its expiry at which a token is replaced.
  package static let margin: Int64 = 300

  package init(runtime: Runtime, fetch: @escaping Fetch) {
    self.runtime = runtime
    self.fetch = fetch
  }

  /// Returns a token that is not about to expire, and is not the rejected token `stale`.
  ///
  /// - Parameter margin: the seconds for which it must be valid; more than usual at the beginning of a long operation.
  package func token(
    insteadOf stale: String? = nil, margin: Int64 = AccessTokens.margin
  ) async throws(SyncError) -> String {
    if let held, held.text != stale, held.isValid(in: margin, now: runtime.now()) { return held.text }
    let task = fetching ?? begin(stale, margin)
    let result = await task.value
    return try result.get().text
  }

  /// Starts the fetch; cancelling one caller does not cancel it for the others.
  private func begin(_ stale: String?, _ margin: Int64) -> Task<Result<AccessToken, SyncError>, Never> {
    let task = Task { [fetch] in
      let result: Result<AccessToken, SyncError>
      do throws(SyncError) { result = .success(try await fetch(stale, margin)) } catch { result = .failure(error) }
      store(result)
      return result
    }
    fetching = task
    return task
  }

  private func store(_ result: Result<AccessToken, SyncError>) {
    fetching = nil
    if case .success(let token) = result { held = token }
  }
}
