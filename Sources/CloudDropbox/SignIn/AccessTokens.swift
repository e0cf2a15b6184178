internal import SyncKit

/// An access token, valid for some hours.
struct AccessToken: Sendable {
  var text: String
  var expiry: Timestamp
}

/// Keeps a token that is good: however many want one, only one is fetched at a time.
actor AccessTokens {
  private let runtime: Runtime
  private let fetch: @Sendable () async throws(SyncError) -> AccessToken
  private var held: AccessToken?
  private var fetching: Task<Result<AccessToken, SyncError>, Never>?

  /// A token is replaced so long before it expires, as Dropbox's own programs do.
  private static let margin: Int64 = 300

  init(runtime: Runtime, fetch: @escaping @Sendable () async throws(SyncError) -> AccessToken) {
    self.runtime = runtime
    self.fetch = fetch
  }

  /// A token that is not about to expire, and is not `stale`, which was refused.
  func token(insteadOf stale: String? = nil) async throws(SyncError) -> String {
    if let held, held.text != stale, held.expiry.seconds - runtime.now().seconds > Self.margin { return held.text }
    let task = fetching ?? begin()
    let result = await task.value
    return try result.get().text
  }

  /// A waiting caller cannot cancel it for the others.
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
