internal import MeshStore
public import SyncKit

extension BitTorrent: SigningIn {
  /// The secret may also be written by hand, or come from a password store.
  public static var isOptional: Bool { true }

  /// Asks for the secret of the mesh, or makes a new one.
  public func signIn(_ conversation: any Conversation) async throws(SyncError) -> SignIn {
    guard let file = settings.secret.file else {
      throw SyncError(
        .invalidSettings, "cannot store the secret: set `secret = { file = \"PATH\" }`, or write it by hand")
    }
    let answer = try await conversation.ask("Secret of another device, or `new` for a new mesh:")
    let isNew = answer.filter { !$0.isWhitespace } == "new"
    guard let secret = isNew ? MeshSecret(random: Runtime.real.random) : MeshSecret(text: answer) else {
      throw SyncError(.unauthorized, "this is not the secret of a mesh, or has a typing mistake; it begins with sy1-")
    }
    if isNew { conversation.tell("The secret of the new mesh. Enter it on your other devices:\n\n  \(secret.text)\n") }
    let swarm = secret.swarm.prefix(4)
    return SignIn(
      account: "mesh \(Hexadecimal.text(of: swarm))", secret: Secret(secret.text), keeping: .file(file))
  }
}
