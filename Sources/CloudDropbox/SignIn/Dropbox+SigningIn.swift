internal import CurlHTTP
internal import HTTPStorage
public import SyncKit

extension Dropbox: SigningIn {
  /// The permissions that the app needs.
  private static let scopes = "account_info.read files.metadata.read files.content.read files.content.write"
  /// The time limit for the user's sign-in.
  private static let patience = Duration.seconds(600)

  public func signIn(_ conversation: any Conversation) async throws(SyncError) -> SignIn {
    let keeping = try SignIn.Keeping(
      settings.refreshToken, named: "refresh-token", command: settings.tokenCommand, remote: remote)
    let runtime = Runtime.real
    let exchange = TokenExchange(
      hosts: try hosts(), client: client, appKey: settings.appKey, runtime: runtime)
    let proof = PKCE(runtime: runtime)
    let grant: TokenGrant
    if let port = settings.redirectPort {
      grant = try await byBrowser(exchange, proof, port: port, runtime, conversation)
    } else {
      conversation.tell("Open this address, allow the access, and copy the code:\n\n  \(try address(proof))\n")
      let code = try await conversation.ask("Code:")
      grant = try await exchange.redeem(code.filter { !$0.isWhitespace }, proof, redirect: nil)
    }
    guard let token = grant.refreshToken else {
      throw SyncError(.unauthorized, "Dropbox sent no refresh token", remedy: .signIn(remote: remote))
    }
    let account = try await name(of: grant, runtime)
    return SignIn(account: account, secret: Secret(token), keeping: keeping)
  }

  private func byBrowser(
    _ exchange: TokenExchange, _ proof: PKCE, port: Int, _ runtime: Runtime, _ conversation: any Conversation
  ) async throws(SyncError) -> TokenGrant {
    let redirect = "http://localhost:\(port)"
    let state = PKCE.text(runtime.random(16))
    let listener = try RedirectListener(port: port)
    conversation.tell(
      "Open this address on this machine and allow the access:\n\n  "
        + "\(try address(proof, redirect: redirect, state: state))\n")
    let code = try await listener.code(state: state, within: Self.patience)
    return try await exchange.redeem(code, proof, redirect: redirect)
  }

  /// The address at which the user grants access.
  func address(_ proof: PKCE, redirect: String? = nil, state: String? = nil) throws(SyncError) -> String {
    var fields = [
      ("client_id", settings.appKey), ("response_type", "code"), ("code_challenge", proof.challenge),
      ("code_challenge_method", "S256"), ("token_access_type", "offline"), ("scope", Self.scopes),
    ]
    if let redirect, let state { fields += [("redirect_uri", redirect), ("state", state)] }
    return try hosts().web + "/oauth2/authorize?" + FormEncoding.text(fields)
  }

  private struct Account: Decodable, Sendable {
    struct Name: Decodable, Sendable {
      var display: String

      private enum CodingKeys: String, CodingKey { case display = "display_name" }
    }

    var name: Name
    var email: String
  }

  private func name(of grant: TokenGrant, _ runtime: Runtime) async throws(SyncError) -> String {
    let token = grant.token(at: runtime.now(), life: TokenExchange.life)
    let tokens = AccessTokens(runtime: runtime) { (_, _) throws(SyncError) in token }
    let service = Service(try hosts(), client, tokens: tokens, remote: remote, runtime: runtime)
    do throws(CallError) {
      let account: Account = try await service.ask("users/get_current_account", .null)
      return "\(account.name.display) <\(account.email)>"
    } catch { throw error.error }
  }
}
