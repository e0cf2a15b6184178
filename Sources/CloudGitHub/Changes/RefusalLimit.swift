import Synchronization

/// The refusals of a batch and of its parts. A batch that is refused as a whole, because of one file or of all, is tried in halves
/// until there were too many.
final class RefusalLimit: Sendable {
  private let count = Mutex(0)

  /// Enough to find two files among 250.
  private static let most = 24

  /// Counts a refusal; returns false after the last one that is allowed.
  func allowsMore() -> Bool {
    count.withLock { count in
      count += 1
      return count <= Self.most
    }
  }
}
