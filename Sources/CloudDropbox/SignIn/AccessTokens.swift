internal import SyncKit

/// An access token, valid for some hours.
struct AccessToken: Sendable {
  var text: String
  var expiry: Timestamp
}

/// Caches a valid access token, and fetches one at a time for all callers.
actor AccessTokens {
  private let runtime: Runtime
  private let fetch: @Sendable () async throws(SyncError) -> AccessToken
  private var held: AccessToken?
  private var fetching: Task<Result<AccessToken, SyncError>, Never>?

  /// The time in seconds before its expiry at which a token is replaced, as in Dropbox's own SDKs.
  private static let margin: Int64 = 300

  init(runtime: Runtime, fetch: @escaping @Sendable () async throws(SyncError) -> AccessToken) {
    self.runtime = runtime
    self.fetch = fetch
  }

  /// Returns a token that is not about to expire, and is not the rejected token `stale`.
  func token(insteadOf stale: String? = nil) async throws(SyncError) -> String {
    if let held, held.text != stale, held.expiry.seconds - runtime.now().seconds > Self.margin { return held.text }
    let task = fetching ?? begin()
    let result = await task.value
    return try result.get().text
  }

  /// Starts the fetch; cancelling one caller does not cancel it for the others.
  private func begin() -> Task<Result<AccessToken, SyncError>, Never> {
    let task = Task { [fetch] in
      let result: Result<AccessToken, SyncError>
      do throws(SyncError) { result = .success(try await fetch()) } catch { result = .failure(error) }
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
