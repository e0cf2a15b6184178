internal import GitObjects
internal import Programs
internal import SyncKit

/// Runs the git services for a repository on this machine as child processes.
///
/// `git` serves the repository instead of writing to it directly, so that its owner's rules, hooks, permissions and formats
/// apply, and so that no lock stays behind if syncd is killed: git then ends by itself.
struct LocalTransport: Transport {
  /// The repository's folder.
  let path: String
  let variables: [String: String]
  /// The maximum time without progress.
  let timeout: Duration

  var isStateless: Bool { false }

  var summary: String { "with `git` on this machine" }

  func open(_ service: Service, asksWhatThereIs: Bool, _ stop: Stop) throws(SyncError) -> any Channel {
    ProcessChannel(
      try Program(["git", service.rawValue, path], variables: variables, patience: timeout, stop), at: path)
  }
}
