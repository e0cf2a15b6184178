public import SyncKit
import Synchronization

/// Tells what blocks that nobody waits for it any more.
public final class Stop: Sendable {
  private let flag = Mutex(false)

  public init() {}

  public var isAsked: Bool { flag.withLock { $0 } }

  public func ask() { flag.withLock { $0 = true } }

  /// Throws if nobody waits any more.
  public func check() throws(SyncError) {
    if isAsked { throw SyncError(.cancelled, "the pass was stopped; the next pass continues from there") }
  }
}
