import SyncKit
internal import Synchronization

/// Contents that were taken in and wait for the next transaction, so that many small ones share one.
final class PendingContents: Sendable {
  private struct State {
    var contents: [Digest: PendingContent] = [:]
    var bytes = 0
  }

  private let state = Mutex(State())

  /// How many bytes may wait in memory before the next transaction is due.
  static let limit = 4 << 20

  var all: [Digest: PendingContent] { state.withLock { $0.contents } }

  /// How much memory they take, roughly.
  var bytes: Int { state.withLock { $0.bytes } }

  var isEmpty: Bool { state.withLock { $0.contents.isEmpty } }

  subscript(digest: Digest) -> PendingContent? { state.withLock { $0.contents[digest] } }

  /// Adds a content after `work` has been done, and says whether a transaction is due. No file of a content that was
  /// given up is removed meanwhile.
  func add(
    _ content: PendingContent, _ digest: Digest, after work: () throws(SyncError) -> Void = {}
  ) throws(SyncError) -> Bool {
    try state.withLock { state throws(SyncError) in
      try work()
      if state.contents.updateValue(content, forKey: digest) == nil { state.bytes += content.weight }
      return state.bytes >= Self.limit
    }
  }

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
