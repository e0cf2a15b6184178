internal import Programs
internal import SyncKit

/// Runs the services of a repository on this machine as programs.
///
/// The repository is served by `git` and not written to directly, so that its owner's rules, hooks, rights and formats hold,
/// and so that no lock of ours stays in it if we are killed: the program then ends by itself.
struct LocalTransport: Transport {
  /// Where the repository is.
  let path: String
  let variables: [String: String]
  /// How long nothing may move.
  let timeout: Duration

  var isStateless: Bool { false }

  var summary: String { "with `git` on this machine" }

  func open(_ service: Service, asksWhatThereIs: Bool, _ stop: Stop) throws(SyncError) -> any Channel {
    ProcessChannel(
      try Program(["git", service.rawValue, path], variables: variables, patience: timeout, stop), at: path)
  }
}
