import SyncKit
internal import Synchronization

/// Contents that will be recorded with the next transaction, so that many small ones share one.
final class PendingContents: Sendable {
  private struct State {
    var contents: [Digest: PendingContent] = [:]
    /// The contents whose bytes are in memory, in the order of their addition.
    var unpacked: [Digest] = []
    var bytes = 0
    var isBeingWritten = false
  }

  private let state = Mutex(State())

  /// The number of bytes in memory at which they are packed, and at which adding waits for that.
  private static let limits = (begin: 1 << 20, wait: 4 << 20)
  /// The number of contents at which a transaction is due.
  private static let most = 16_384

  /// The urgency of packing.
  enum Due {
    case later
    /// Start it, without waiting for it.
    case soon
    /// Wait for its end before adding more.
    case now
  }

  var all: [Digest: PendingContent] { state.withLock { $0.contents } }

  /// The approximate number of bytes of contents in memory.
  var bytes: Int { state.withLock { $0.bytes } }

  var isEmpty: Bool { state.withLock { $0.contents.isEmpty } }

  /// True if the number of contents makes a transaction due.
  var areMany: Bool { state.withLock { $0.contents.count >= Self.most } }

  subscript(digest: Digest) -> PendingContent? { state.withLock { $0.contents[digest] } }

  /// The contents in memory, in the order of their addition.
  var unpacked: [(digest: Digest, bytes: [UInt8], path: SyncPath?)] {
    state.withLock { state in
      state.unpacked.compactMap { digest in
        guard case .bytes(let bytes, let path) = state.contents[digest] else { return nil }
        return (digest, bytes, path)
      }
    }
  }

  /// Adds a content after `work`, unless it is pending; returns when packing is due. No file of a discarded content is removed
  /// meanwhile.
  func add(
    _ content: PendingContent, _ digest: Digest, after work: () throws(SyncError) -> Void = {}
  ) throws(SyncError) -> Due {
    try state.withLock { state throws(SyncError) in
      try work()
      if state.contents[digest] == nil {
        state.contents[digest] = content
        state.bytes += content.weight
        if content.bytes != nil { state.unpacked.append(digest) }
      }
      if state.bytes >= Self.limits.wait { return .now }
      let isDue = state.bytes >= Self.limits.begin || state.contents.count >= Self.most
      return isDue && !state.isBeingWritten ? .soon : .later
    }
  }

  /// Replaces a content that was in memory by its place.
  func replace(_ digest: Digest, by content: PendingContent) {
    state.withLock { state in
      guard let former = state.contents[digest], former.bytes != nil else { return }
      state.contents[digest] = content
      state.bytes += content.weight - former.weight
    }
  }

  /// Forgets the order of contents that are packed.
  func endPacking() {
    state.withLock { state in
      state.unpacked.removeAll { state.contents[$0]?.bytes == nil }
    }
  }

  /// Drops the contents that were packed and are not durable.
  func dropPacked() {
    state.withLock { state in
      for (digest, content) in state.contents {
        guard case .packed = content else { continue }
        state.contents[digest] = nil
        state.bytes -= content.weight
      }
    }
  }

  /// Returns true if the caller must start to pack in the background.
  func beginWriting() -> Bool {
    state.withLock { state in
      defer { state.isBeingWritten = true }
      return !state.isBeingWritten
    }
  }

  /// Records the end of that, successful or not.
  func endWriting() { state.withLock { $0.isBeingWritten = false } }

  /// Runs `work` unless the content was added again.
  func unlessPending(_ digest: Digest, _ work: () -> Void) {
    state.withLock { if $0.contents[digest] == nil { work() } }
  }

  /// Removes contents that have been written.
  func remove(_ written: some Sequence<Digest>) {
    state.withLock { state in
      for digest in written {
        if let content = state.contents.removeValue(forKey: digest) { state.bytes -= content.weight }
      }
    }
  }
}

/// One content that will be recorded with the next transaction.
enum PendingContent: Sendable {
  /// The bytes are in memory; the path helps to find a former version.
  case bytes([UInt8], at: SyncPath?)
  /// The bytes are in a block that was appended and is not durable yet.
  case packed(Block, BlockMember)
  /// The bytes are in a file of their own.
  case file(size: Int)
  /// The archive has the content already.
  case held(size: Int)

  /// The bytes, if they are in memory.
  var bytes: [UInt8]? {
    if case .bytes(let bytes, _) = self { bytes } else { nil }
  }

  /// The approximate memory use in bytes, as far as packing can free it.
  fileprivate var weight: Int { bytes.map { $0.count + 128 } ?? 0 }
}
