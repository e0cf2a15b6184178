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
  /// Why ssh is not spoken by libssh2, as half a sentence; nil where nothing else was asked for.
  var reason: String?

  var isStateless: Bool { false }

  var words: String {
    switch place {
    case .ssh: "with the program `\(ssh.first ?? "ssh")`" + (reason.map { " because \($0)" } ?? "")
    case .path, .http: "with `git` on this machine"
    }
  }

  func open(_ service: Service, asksWhatThereIs: Bool, _ stop: Stop) throws(SyncError) -> any Channel {
    let program = try Program(words(service), variables: variables, patience: patience, stop)
    return ProgramChannel(program, place)
  }

  private func words(_ service: Service) -> [String] {
    switch place {
    case .path(let path): ["git", service.rawValue, path]
    case .ssh(let host, let user, let port, let path):
      ssh + (port.map { ["-p", "\($0)"] } ?? []) + ["--", user.map { "\($0)@\(host)" } ?? host]
        + [service.command(on: path)]
    case .http: []
    }
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
  private var ended: SyncError { ServiceTrouble(place, program.complaint, hasAnswered: hasRead).error }
}
