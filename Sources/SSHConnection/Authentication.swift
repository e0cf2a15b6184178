internal import CSSH2
internal import SyncKit

/// Gets us in: with what the agent holds and with key files, in the order that ssh has.
struct Authentication {
  private let session: SSHSession
  private let passphrase: String?
  /// What was tried, for the message.
  private var tried: [String] = []

  /// Servers allow no more attempts.
  private static let mostTries = 6

  init(_ session: SSHSession, _ passphrase: String?) {
    self.session = session
    self.passphrase = passphrase
  }

  private var destination: SSHDestination { session.destination }

  mutating func run() throws(SyncError) {
    if try isOpen() { return }
    if !destination.onlyIdentities, try byAgent() { return }
    for file in destination.identities where tried.count < Self.mostTries {
      if try byFile(file) { return }
    }
    // A key that only the agent can open.
    if destination.onlyIdentities, try byAgent() { return }
    throw refusal
  }

  /// True if the host needs no authentication; the request also makes it list its methods.
  private func isOpen() throws(SyncError) -> Bool {
    let user = destination.user
    let deadline = session.deadline()
    while true {
      let list = unsafe libssh2_userauth_list(session.session, user, UInt32(user.utf8.count))
      if unsafe list != nil { return false }
      if unsafe libssh2_userauth_authenticated(session.session) != 0 { return true }
      guard session.lastError == LIBSSH2_ERROR_EAGAIN else {
        throw SyncError(.unavailable, "lost the connection to \(destination.name): \(session.complaint)")
      }
      try session.wait(deadline)
    }
  }

  // MARK: Files

  private mutating func byFile(_ file: String) throws(SyncError) -> Bool {
    tried.append(file)
    let user = destination.user
    let answer = try session.complete {
      unsafe libssh2_userauth_publickey_fromfile_ex(
        session.session, user, UInt32(user.utf8.count), nil, file, passphrase ?? "")
    }
    if answer != 0 { tried[tried.count - 1] += " (\(session.complaint))" }
    return answer == 0
  }

  // MARK: Agent

  private mutating func byAgent() throws(SyncError) -> Bool {
    guard let socket = destination.agent, let agent = unsafe libssh2_agent_init(session.session) else { return false }
    defer { unsafe libssh2_agent_free(agent) }
    unsafe libssh2_agent_set_identity_path(agent, socket)
    guard unsafe libssh2_agent_connect(agent) == 0 else { return false }
    defer { _ = unsafe libssh2_agent_disconnect(agent) }
    guard unsafe libssh2_agent_list_identities(agent) == 0 else { return false }
    var former: UnsafeMutablePointer<libssh2_agent_publickey>?
    while tried.count < Self.mostTries {
      var identity: UnsafeMutablePointer<libssh2_agent_publickey>?
      guard unsafe libssh2_agent_get_identity(agent, &identity, former) == 0, let key = unsafe identity else {
        return false
      }
      unsafe former = key
      tried.append("an agent key")
      let answer = try session.complete { unsafe libssh2_agent_userauth(agent, destination.user, key) }
      if answer == 0 { return true }
    }
    return false
  }

  // MARK: Refusal

  private var refusal: SyncError {
    let words =
      tried.isEmpty
      ? "no key is available; set `identity-file`, or add a key to the agent"
      : "tried: \(tried.joined(separator: ", "))"
    let advice =
      Library.signsWithRSA
      ? "" : ". For RSA keys, certificates and smart cards set `transport = \"ssh-command\"`"
    return SyncError(.unauthorized, "\(destination.name) refused the login of \(destination.user); \(words)\(advice)")
  }
}
