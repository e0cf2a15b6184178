internal import CSSH2
internal import SyncKit

/// Authenticates with the keys of the agent and with key files, in the order that ssh uses.
struct Authentication {
  private let session: SSHSession
  private let passphrase: String?
  /// The keys that were tried, for the message.
  private var tried: [String] = []
  /// True if the host has refused a key.
  private var isRefused = false

  /// OpenSSH servers allow no more attempts (`MaxAuthTries`).
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
    // The agent may hold a key that needs a passphrase or a token.
    if destination.onlyIdentities, try byAgent() { return }
    throw refusal
  }

  /// Returns true if the host needs no authentication; the request also makes it list its methods.
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
    if answer == 0 { return true }
    try requireAnswer(answer)
    tried[tried.count - 1] += " (\(session.complaint))"
    return false
  }

  // MARK: Agent

  private mutating func byAgent() throws(SyncError) -> Bool {
    guard let path = destination.agent, let agent = SSHAgent(at: path, timeout: session.patience, session.stop) else {
      return false
    }
    let keys: [SSHAgent.Key]
    do throws(SyncError) { keys = try agent.keys() } catch { return try doWithout(agent, error) }
    for key in keys where tried.count < Self.mostTries {
      tried.append("an agent key")
      let signature = AgentSignature(by: agent, key)
      let (user, session) = (destination.user, session)
      let answer = try session.complete { unsafe signature.authenticate(user, on: session.session) }
      if answer == 0 { return true }
      if let failure = signature.failure { return try doWithout(agent, failure) }
      try requireAnswer(answer)
    }
    return false
  }

  /// Handles an agent that does not answer: the key files remain to be tried.
  private mutating func doWithout(_ agent: SSHAgent, _ error: SyncError) throws(SyncError) -> Bool {
    guard error.code != .cancelled else { throw error }
    tried.append("the agent (\(error.message))")
    return false
  }

  // MARK: Refusal

  /// Throws if the connection has ended before the host answered any key: then it has refused nothing. A host that refused keys
  /// may end the connection because there were too many (`MaxAuthTries` of sshd_config(5)).
  private mutating func requireAnswer(_ answer: CInt) throws(SyncError) {
    if answer == LIBSSH2_ERROR_AUTHENTICATION_FAILED { isRefused = true }
    guard !isRefused, session.hasEnded else { return }
    throw SyncError(
      .unavailable,
      "lost the connection to \(destination.name) during the login: \(session.complaint); syncd tries again later")
  }

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
