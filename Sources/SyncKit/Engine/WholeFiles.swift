import Synchronization

/// The versions of whole files that a pass reads and replaces through a view of the store, so that the history names these.
public final class WholeFiles: Sendable {
  private let versions = Mutex<[SyncPath: (before: Digest?, after: Digest?)]>([:])

  public init() {}

  /// Records the version of a whole file that was read.
  public func read(_ digest: Digest, at path: SyncPath) { versions.withLock { $0[path] = (digest, digest) } }

  /// Records that a whole file was replaced; nil if there was none, or is none now.
  public func replaced(_ before: Digest?, by after: Digest?, at path: SyncPath) {
    versions.withLock { $0[path] = (before, after) }
  }

  /// The version before the last change of a whole file in this pass, and the one after it; nil if it was not used.
  subscript(path: SyncPath) -> (before: Digest?, after: Digest?)? { versions.withLock { $0[path] } }
}
