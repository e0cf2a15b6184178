internal import CurlHTTP
internal import HTTPStorage
public import SyncKit

extension GitHub: SigningIn {
  /// A fine-grained token needs no sign-in.
  public static var isOptional: Bool { true }

  public func signIn(_ conversation: any Conversation) async throws(SyncError) -> SignIn {
    try await signIn(conversation, .real)
  }

  func signIn(_ conversation: any Conversation, _ runtime: Runtime) async throws(SyncError) -> SignIn {
    let keeping = try SignIn.Keeping(settings.token, named: "token", command: settings.tokenCommand, remote: remote)
    let flow = try flow(runtime)
    let code = try await flow.begin()
    conversation.tell("Open this address in any browser and enter the code \(code.user):\n\n  \(code.page)\n")
    let token = try await flow.token(for: code)
    let account = try await flow.account(of: token)
    if try await !flow.canSeeRepository(token) {
      conversation.tell(
        "The app cannot see \(flow.place.repository) yet: install it on this repository, with the permission Contents: Read "
          + "and write.")
    }
    return SignIn(account: account, secret: Secret(token), keeping: keeping)
  }

  private func flow(_ runtime: Runtime) throws(SyncError) -> DeviceFlow {
    guard let place = Place(settings) else {
      throw SyncError(.invalidSettings, "`repository` or `api-url` of the remote \(remote) is invalid")
    }
    guard settings.kind == .github else {
      throw SyncError(
        .invalidSettings,
        "cannot sign in to the remote \(remote): \(settings.kind.product) has no sign-in with a code; create a token in its "
          + "settings, under Applications, and save it as `token`")
    }
    guard let clientId = settings.clientId, !clientId.isEmpty else {
      throw SyncError(
        .invalidSettings,
        "cannot sign in to the remote \(remote): set `client-id` to that of a GitHub App with device flow; or create a "
          + "fine-grained token in the browser, and save it as `token`")
    }
    return DeviceFlow(place, client, clientId: clientId, runtime: runtime)
  }
}
