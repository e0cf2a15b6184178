import SyncKit
internal import Synchronization

/// Contents that will be written with the next transaction, so that many small ones share one.
final class PendingContents: Sendable {
  private struct State {
    var contents: [Digest: PendingContent] = [:]
    var bytes = 0
    var isBeingWritten = false
  }

  private let state = Mutex(State())

  /// The number of bytes in memory at which a transaction is started, and at which adding waits for it.
  private static let limits = (begin: 2 << 20, wait: 4 << 20)

  /// The urgency of the next transaction.
  enum Due {
    case later
    /// Start it, without waiting for it.
    case soon
    /// Wait for its end before adding more.
    case now
  }

  var all: [Digest: PendingContent] { state.withLock { $0.contents } }

  /// The approximate memory use in bytes.
  var bytes: Int { state.withLock { $0.bytes } }

  var isEmpty: Bool { state.withLock { $0.contents.isEmpty } }

  subscript(digest: Digest) -> PendingContent? { state.withLock { $0.contents[digest] } }

  /// Adds a content after `work`, and returns when a transaction is due. No file of a discarded content is removed meanwhile.
  func add(
    _ content: PendingContent, _ digest: Digest, after work: () throws(SyncError) -> Void = {}
  ) throws(SyncError) -> Due {
    try state.withLock { state throws(SyncError) in
      try work()
      if state.contents.updateValue(content, forKey: digest) == nil { state.bytes += content.weight }
      if state.bytes >= Self.limits.wait { return .now }
      return state.bytes >= Self.limits.begin && !state.isBeingWritten ? .soon : .later
    }
  }

  /// Returns true if the caller must start a transaction in the background.
  func beginWriting() -> Bool {
    state.withLock { state in
      defer { state.isBeingWritten = true }
      return !state.isBeingWritten
    }
  }

  /// Records the end of such a transaction, successful or not.
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

/// One content that will be written with the next transaction.
enum PendingContent: Sendable {
  case bytes([UInt8])
  /// The bytes are in a file already.
  case file(size: Int)

  var size: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .file(let size): size
    }
  }

  /// The bytes, if they are in memory.
  var bytes: [UInt8]? {
    if case .bytes(let bytes) = self { bytes } else { nil }
  }

  /// The approximate memory use in bytes.
  fileprivate var weight: Int {
    switch self {
    case .bytes(let bytes): bytes.count + 128
    case .file: 128
    }
  }
}
