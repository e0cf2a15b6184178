internal import CurlHTTP
internal import HTTPStorage
public import SyncKit

extension Box: SigningIn {
  public static var signInSetting: String? { "refresh-token" }

  /// The time limit for the user's sign-in.
  private static let patience = Duration.seconds(600)

  public func signIn(_ conversation: any Conversation) async throws(SyncError) -> SignIn {
    guard settings.auth == .user else {
      throw SyncError(
        .invalidSettings,
        "the remote \(remote) needs no sign-in: with `auth = \"app\"` the app has its own access",
        remedy: .diagnose(remote: remote))
    }
    let keeping = try SignIn.Keeping(
      settings.refreshToken, named: "refresh-token", command: settings.tokenCommand, remote: remote)
    let runtime = Runtime.real
    let exchange = TokenExchange(
      try hosts(), client, clientId: settings.clientId, secret: settings.clientSecret, remote: remote, runtime: runtime)
    let code = try await code(runtime, conversation)
    let grant = try await redeem(code, exchange)
    guard let pair = exchange.pair(of: grant), let access = pair.access else {
      throw SyncError(.unauthorized, "Box sent no usable tokens", remedy: .signIn(remote: remote))
    }
    return SignIn(account: try await name(of: access, runtime), secret: Secret(pair.text), keeping: keeping)
  }

  private func code(_ runtime: Runtime, _ conversation: any Conversation) async throws(SyncError) -> String {
    let state = PKCE.text(runtime.random(16))
    guard let port = settings.redirectPort else {
      conversation.tell(
        "Open this address, allow the access, and copy the address of the page that then cannot be opened:\n\n"
          + "  \(try address(redirect: "http://localhost", state: state))\n")
      return try Self.code(in: try await conversation.ask("Address:"), state: state)
    }
    let listener = try RedirectListener(port: port)
    conversation.tell(
      "Open this address on this machine and allow the access:\n\n"
        + "  \(try address(redirect: "http://localhost:\(port)", state: state))\n")
    return try await listener.code(state: state, within: Self.patience)
  }

  /// Returns the code in a pasted address, or a pasted code.
  static func code(in text: String, state: String) throws(SyncError) -> String {
    let text = text.filter { !$0.isWhitespace }
    guard text.contains("?") else { return text }
    let query = RedirectListener.query(in: "GET \(text) HTTP/1.1")
    guard query["state"] == state, let code = query["code"] else {
      throw SyncError(
        .unauthorized, "this is not the address that belongs to this sign-in: \(query["error"] ?? "it has no code")")
    }
    return code
  }

  /// The address at which the user grants access.
  private func address(redirect: String, state: String) throws(SyncError) -> String {
    try hosts().web + "/oauth2/authorize?"
      + FormEncoding.text([
        ("response_type", "code"), ("client_id", settings.clientId), ("redirect_uri", redirect), ("state", state),
      ])
  }

  private func redeem(_ code: String, _ exchange: TokenExchange) async throws(SyncError) -> TokenGrant {
    switch try await exchange.request([("grant_type", "authorization_code"), ("code", code)]) {
    case .granted(let grant): return grant
    case .failed(let error, _): throw error
    case .refused(let refusal):
      throw exchange.appError(refusal)
        ?? SyncError(
          .unauthorized,
          "Box rejected the code: \(refusal.error); sign in again, and paste the new one at once: it is valid for seconds",
          cause: refusal.description)
    }
  }

  private func name(of access: AccessToken, _ runtime: Runtime) async throws(SyncError) -> String {
    let tokens = AccessTokens(runtime: runtime) { (_, _) throws(SyncError) in access }
    let service = Service(try hosts(), client, tokens: tokens, remote: remote, runtime: runtime)
    let user: UserReply = try await service.ask("users/me", at: "the account")
    return "\(user.name) <\(user.login)>"
  }
}
