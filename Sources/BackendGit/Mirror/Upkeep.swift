internal import Programs
internal import SyncKit

/// Keeps our copy of a repository small: each push leaves loose objects and each fetch a pack. Where git is installed its
/// own `gc --auto` puts them together as soon as they are many (git-gc(1)); where it is not, the copy only grows.
struct Upkeep: Sendable {
  let variables: [String: String]

  private static let patience = Duration.seconds(600)

  /// Packs the repository at `path` if it needs that. A failure does no harm.
  func run(on path: String, _ stop: Stop) {
    let arguments = ["git", "-C", path, "-c", "gc.autoDetach=false", "gc", "--auto", "--quiet"]
    _ = try? Program.run(arguments, variables: variables, patience: Self.patience, stop)
  }
}
