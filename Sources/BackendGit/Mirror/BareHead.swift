internal import Programs
internal import SyncKit

/// HEAD of a bare repository on this machine: the branch that a clone checks out.
struct BareHead: Sendable {
  /// The repository's folder; nil if it is on another host, where HEAD cannot be changed.
  let folder: String?
  let variables: [String: String]

  private static let patience = Duration.seconds(60)

  /// Makes HEAD name the first branch of a repository if it names one that does not exist: a clone would check out nothing. A
  /// failure is harmless.
  func follow(_ branch: String, _ stop: Stop) {
    guard let folder, let isBare = git(["rev-parse", "--is-bare-repository"], in: folder, stop),
      isBare.status == 0, isBare.bytes == Array("true\n".utf8),
      // git-rev-parse(1): with --quiet, the status is 1 if the revision does not exist. Any other failure proves nothing.
      git(["rev-parse", "--quiet", "--verify", "HEAD"], in: folder, stop)?.status == 1
    else { return }
    _ = git(["symbolic-ref", "HEAD", "refs/heads/\(branch)"], in: folder, stop)
  }

  private func git(_ words: [String], in folder: String, _ stop: Stop) -> Program.Output? {
    try? Program.run(["git", "-C", folder] + words, variables: variables, patience: Self.patience, stop)
  }
}
