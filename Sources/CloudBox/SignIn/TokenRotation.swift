internal import HTTPStorage
internal import SettingsRegistry
internal import SyncKit

/// The access of a user. Box replaces the refresh token at every use, and accepts each only once, so
/// - the new pair is stored durably before its access token is used, and before anything else happens;
/// - one process refreshes at a time, and the others use what it has stored;
/// - a request whose answer is lost is sent once more. If Box then refuses, the user must sign in again: nothing can bring back
///   the token in the lost answer.
struct TokenRotation: Sendable {
  private let exchange: TokenExchange
  private let secret: Secret
  private let command: [String]
  private let remote: String
  private let variables: [String: String]

  init(
    _ exchange: TokenExchange, _ settings: Box.Settings, remote: String, environment: SettingsEnvironment
  ) throws(SyncError) {
    guard let secret = settings.refreshToken else {
      throw SyncError(.invalidSettings, "the remote \(remote) needs `refresh-token = { file = … }`")
    }
    self.exchange = exchange
    self.secret = secret
    self.remote = remote
    command = settings.tokenCommand
    variables = environment.variables
  }

  /// Returns an access token that is valid for longer than `margin` seconds, and is not the rejected token `stale`.
  func token(insteadOf stale: String?, margin: Int64) async throws(SyncError) -> AccessToken {
    // Without a file, only the lock of the state folder keeps other processes away.
    let file: TokenFile?
    if command.isEmpty, let path = secret.file {
      _ = try await pair()
      file = try await TokenFile(locking: path, exchange.runtime)
    } else {
      file = nil
    }
    // Another process may have replaced them until now.
    var pair = try await pair()
    if try file?.recover(pair) == true { pair = try await self.pair() }
    if let access = pair.access, access.text != stale, access.isValid(in: margin, now: exchange.runtime.now()) {
      return access
    }
    do throws(SyncError) { return try await refreshed(pair, file) } catch {
      // If Box cannot be reached now, the old token may still last for this pass.
      guard error.code == .unavailable, let access = pair.access, access.text != stale,
        access.isValid(in: AccessTokens.margin, now: exchange.runtime.now())
      else { throw error }
      return access
    }
  }

  private func pair() async throws(SyncError) -> TokenPair {
    let text: String
    do { text = try await secret.reveal() } catch {
      throw SyncError(
        .unauthorized, "not signed in to the remote \(remote): \(error)", remedy: .signIn(remote: remote))
    }
    guard let pair = TokenPair(text) else {
      throw SyncError(.unauthorized, "not signed in to the remote \(remote)", remedy: .signIn(remote: remote))
    }
    return pair
  }

  private func refreshed(_ old: TokenPair, _ file: TokenFile?) async throws(SyncError) -> AccessToken {
    try file?.reserve()
    let grant: TokenGrant
    do throws(SyncError) { grant = try await refresh(old.refresh) } catch {
      file?.discard()
      throw error
    }
    try BoxFailpoint.answerReceived.reach()
    guard let new = exchange.pair(of: grant), let access = new.access else {
      throw ended("Box sent no usable tokens", nil)
    }
    if let file { try file.store(new, insteadOf: old) } else { try await hand(new.text) }
    return access
  }

  private func refresh(_ token: String) async throws(SyncError) -> TokenGrant {
    let fields = [("grant_type", "refresh_token"), ("refresh_token", token)]
    var wasLost = false
    for attempt in 1... {
      switch try await exchange.request(fields) {
      case .granted(let grant): return grant
      case .refused(let refusal): throw exchange.appError(refusal) ?? ended(wasLost ? Self.lost : Self.used, refusal)
      case .failed(let error, let mayBeGranted):
        wasLost = wasLost || mayBeGranted
        guard attempt < 3, error.code == .unavailable else { throw error }
      }
      do { try await exchange.runtime.sleep(.milliseconds(300 * attempt)) } catch {
        throw .stopped(waitingFor: "Box")
      }
    }
    preconditionFailure("a loop without an end has ended")
  }

  private static let lost =
    "Box gives each token out once, and the answer with the next one was lost"
  private static let used =
    "its access was revoked or unused for 60 days, or the answer with the next token was lost, or another computer uses a copy "
    + "of the sign-in"

  private func ended(_ reason: String, _ refusal: TokenRefusal?) -> SyncError {
    SyncError(
      .unauthorized, "the sign-in of the remote \(remote) has ended: \(reason)", cause: refusal?.error,
      remedy: .signIn(remote: remote))
  }

  /// Stores tokens by the program in the settings, which must succeed before they are used.
  private func hand(_ text: String) async throws(SyncError) {
    let program = BoundedCommand(command, variables: variables, input: Array(text.utf8))
    do { _ = try await program.output() } catch {
      throw SyncError(
        .unauthorized, "`token-command` of the remote \(remote) has not stored the new sign-in: \(error)",
        remedy: .signIn(remote: remote))
    }
  }
}
