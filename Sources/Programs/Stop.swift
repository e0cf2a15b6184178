public import SyncKit
import Synchronization

/// A request to a blocking call to end early.
public final class Stop: Sendable {
  private let flag = Mutex(false)

  public init() {}

  /// True once a stop was requested.
  public var isAsked: Bool { flag.withLock { $0 } }

  /// Requests a stop.
  public func ask() { flag.withLock { $0 = true } }

  /// Throws if the result is no longer wanted.
  public func check() throws(SyncError) {
    if isAsked { throw SyncError(.cancelled, "the pass was stopped; the next pass continues from there") }
  }
}
