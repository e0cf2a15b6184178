internal import SSHConnection
internal import SyncKit

/// Explains why a git service, or the ssh connection to it, ended early.
struct ServiceFailure {
  private let repository: String
  private let errorLines: [String]
  private let hasAnswered: Bool

  /// - Parameters:
  ///   - repository: the repository's name in messages.
  ///   - errorLines: the error output of the service and of ssh.
  ///   - hasAnswered: true if the service began to answer.
  init(_ repository: String, errorLines: [String], hasAnswered: Bool) {
    self.repository = repository
    self.errorLines = errorLines
    self.hasAnswered = hasAnswered
  }

  var error: SyncError {
    if hasAnswered { return SyncError(.unavailable, "\(repository) ended the conversation too early\(said)") }
    switch SSHRefusal(errorLines) {
    case .account?: return SyncError(.unauthorized, "\(repository) refuses access\(said)")
    case .hostKey?:
      return SyncError(
        .unauthorized,
        "the host key of \(repository) is unknown or has changed\(said). Connect once with `ssh` and compare the fingerprint"
      )
    case nil: break
    }
    if has("dubious ownership") {
      return SyncError(
        .unauthorized, "git does not use \(repository), because it belongs to another user\(said)")
    }
    // The file system denied access to a folder or to the program.
    if has("Permission denied") { return SyncError(.unauthorized, "\(repository) refuses access\(said)") }
    if has("not appear to be a git repository", "not a git repository", "not found", "does not exist", "No such file") {
      return SyncError(
        .wrongReplica,
        "no git repository at \(repository); nothing was changed. Check `url`, or run `git init --bare` on the server\(said)"
      )
    }
    return SyncError(.unavailable, "cannot reach \(repository)\(said)")
  }

  private func has(_ texts: String...) -> Bool {
    errorLines.contains { line in texts.contains { line.contains($0) } }
  }

  private var said: String {
    let text = errorLines.suffix(4).joined(separator: " / ").prefix(2_048)
    return text.isEmpty ? "" : ": \(text)"
  }
}
