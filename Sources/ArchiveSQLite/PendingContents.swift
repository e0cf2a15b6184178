import SyncKit
internal import Synchronization

/// Contents that were taken in and wait for the next transaction, so that many small ones share one.
final class PendingContents: Sendable {
  private struct State {
    var contents: [Digest: PendingContent] = [:]
    var bytes = 0
    var isBeingWritten = false
  }

  private let state = Mutex(State())

  /// How many bytes may wait in memory before the next transaction is begun, and before it is waited for.
  private static let limits = (begin: 2 << 20, wait: 4 << 20)

  /// When the next transaction is due.
  enum Due {
    case later
    /// It is to be begun, without waiting for it.
    case soon
    /// No more can be taken in before it has ended.
    case now
  }

  var all: [Digest: PendingContent] { state.withLock { $0.contents } }

  /// How much memory they take, roughly.
  var bytes: Int { state.withLock { $0.bytes } }

  var isEmpty: Bool { state.withLock { $0.contents.isEmpty } }

  subscript(digest: Digest) -> PendingContent? { state.withLock { $0.contents[digest] } }

  /// Adds a content after `work` has been done, and says when a transaction is due. No file of a content that was given
  /// up is removed meanwhile.
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

  /// Returns true if the caller is to begin a transaction in the background.
  func beginWriting() -> Bool {
    state.withLock { state in
      defer { state.isBeingWritten = true }
      return !state.isBeingWritten
    }
  }

  /// Records the end of such a transaction, with or without an error.
  func endWriting() { state.withLock { $0.isBeingWritten = false } }

  /// Does `work` unless the content has been taken in again.
  func unlessPending(_ digest: Digest, _ work: () -> Void) {
    state.withLock { if $0.contents[digest] == nil { work() } }
  }

  /// Forgets contents that have been written.
  func remove(_ written: some Sequence<Digest>) {
    state.withLock { state in
      for digest in written {
        if let content = state.contents.removeValue(forKey: digest) { state.bytes -= content.weight }
      }
    }
  }
}

/// One content that waits for the next transaction.
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

  /// The bytes, if they are here.
  var bytes: [UInt8]? {
    if case .bytes(let bytes) = self { bytes } else { nil }
  }

  /// How much memory it takes, roughly.
  fileprivate var weight: Int {
    switch self {
    case .bytes(let bytes): bytes.count + 128
    case .file: 128
    }
  }
}
