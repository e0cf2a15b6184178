internal import SyncKit

/// What a service that ended too early, or the program that leads to it, has said, in our words.
struct ServiceTrouble {
  private let place: Place
  private let complaint: String
  private let hasAnswered: Bool

  init(_ place: Place, _ complaint: String, hasAnswered: Bool) {
    self.place = place
    self.complaint = complaint
    self.hasAnswered = hasAnswered
  }

  var error: SyncError {
    let said = complaint.isEmpty ? "" : ": \(complaint)"
    if hasAnswered { return SyncError(.unavailable, "lost the connection to \(name)\(said)") }
    if has("Permission denied", "authenticity", "Too many authentication failures") {
      return SyncError(.unauthorized, "\(name) refused the login\(said)")
    }
    if has("Host key verification failed", "REMOTE HOST IDENTIFICATION HAS CHANGED") {
      return SyncError(
        .unauthorized,
        "the host key of \(name) is unknown or has changed\(said). Connect once with `ssh` and compare the fingerprint")
    }
    if has("dubious ownership") {
      return SyncError(
        .unauthorized, "git refuses to use \(name) because another user owns it\(said)")
    }
    if has("not appear to be a git repository", "not a git repository", "not found", "does not exist", "No such file") {
      return SyncError(
        .wrongReplica,
        "there is no git repository at \(name); nothing was changed. To create one, run `git init --bare`\(said)"
      )
    }
    return SyncError(.unavailable, "cannot reach \(name)\(said)")
  }

  private func has(_ texts: String...) -> Bool { texts.contains { complaint.contains($0) } }

  private var name: String {
    switch place {
    case .path(let path): path
    case .ssh(let host, _, _, let path): "\(host):\(path)"
    case .http(let url): url
    }
  }
}
