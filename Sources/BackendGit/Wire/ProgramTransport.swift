internal import Programs
internal import SyncKit

/// Runs the services as programs: `git` itself for a repository on this machine, `ssh` for one elsewhere, with everything
/// that the user has set up for it: keys, agents, jump hosts, certificates.
///
/// A repository on this machine is served by `git` and not written to directly, so that its owner's rules, hooks, rights
/// and formats hold, and so that nothing of ours is left locked there when we are killed: the program then ends by itself.
struct ProgramTransport: Transport {
  let place: Place
  /// The command with its first arguments that runs ssh.
  let ssh: [String]
  let variables: [String: String]
  /// How long nothing may move.
  let patience: Duration

  var isStateless: Bool { false }

  func open(_ service: Service, asksWhatThereIs: Bool, _ stop: Stop) throws(SyncError) -> any Channel {
    let program = try Program(words(service), variables: variables, patience: patience, stop)
    return ProgramChannel(program, place)
  }

  private func words(_ service: Service) -> [String] {
    switch place {
    case .path(let path): ["git", service.rawValue, path]
    case .ssh(let host, let user, let port, let path):
      ssh + (port.map { ["-p", "\($0)"] } ?? []) + ["--", user.map { "\($0)@\(host)" } ?? host]
        + ["git-\(service.rawValue) \(Self.quoted(path))"]
    case .http: []
    }
  }

  /// The path as one word for the shell on the other side; `~` and the name behind it are left for it to expand.
  static func quoted(_ path: String) -> String {
    let home = path.hasPrefix("~") ? path.prefix { $0 != "/" } : ""
    guard home.dropFirst().allSatisfy({ $0.isLetter || $0.isNumber || "._-".contains($0) }) else { return quote(path) }
    let rest = path.dropFirst(home.count)
    return home + (rest.isEmpty ? "" : quote(String(rest)))
  }

  private static func quote(_ text: String) -> String {
    "'" + text.replacing("'", with: "'\\''").replacing("!", with: "'\\!'") + "'"
  }
}

/// A conversation with a program.
final class ProgramChannel: Channel {
  private let program: Program
  private let place: Place
  private var hasRead = false

  init(_ program: Program, _ place: Place) {
    self.program = program
    self.place = place
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(SyncError) {
    guard try unsafe program.write(bytes) else { throw ended }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(SyncError) -> Int {
    let count = try unsafe program.read(into: buffer)
    // libgit2 takes the end of the stream for a breakdown that has no reason; the program's own words are better.
    guard count > 0 else { throw ended }
    hasRead = true
    return count
  }

  func close(isComplete: Bool) { program.end(isComplete: isComplete) }

  /// Why the program has ended in the middle of a conversation.
  private var ended: SyncError { ProgramTrouble(place, program.complaint, hasAnswered: hasRead).error }
}

/// What a program that ended too early has said, in our words.
struct ProgramTrouble {
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
    if hasAnswered { return SyncError(.unavailable, "\(name) broke off\(said)") }
    if has("Permission denied", "authenticity", "Too many authentication failures") {
      return SyncError(.unauthorized, "\(name) does not let us in\(said)")
    }
    if has("Host key verification failed", "REMOTE HOST IDENTIFICATION HAS CHANGED") {
      return SyncError(
        .unauthorized,
        "the host key of \(name) is not one that is known\(said). Connect once by hand with `ssh` and compare it")
    }
    if has("dubious ownership") {
      return SyncError(
        .unauthorized, "git does not touch \(name), because it belongs to somebody else\(said)")
    }
    if has("not appear to be a git repository", "not a git repository", "not found", "does not exist", "No such file") {
      return SyncError(
        .wrongReplica,
        "there is no git repository at \(name); nothing was done. If it is to be made, `git init --bare` does it\(said)"
      )
    }
    return SyncError(.unavailable, "\(name) cannot be reached\(said)")
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
