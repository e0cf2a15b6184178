internal import Programs
internal import SyncKit

/// Keeps the local copy small: each push adds loose objects, and each fetch a pack. If git is installed, its own `gc --auto`
/// packs them once there are many (git-gc(1)); otherwise the copy only grows.
struct Upkeep: Sendable {
  let variables: [String: String]

  private static let patience = Duration.seconds(600)

  /// Packs the repository at `path` if needed. A failure is harmless.
  func run(on path: String, _ stop: Stop) {
    let arguments = ["git", "-C", path, "-c", "gc.autoDetach=false", "gc", "--auto", "--quiet"]
    _ = try? Program.run(arguments, variables: variables, patience: Self.patience, stop)
  }
}
