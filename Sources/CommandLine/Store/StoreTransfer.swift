internal import FileTree
import SyncDaemon
import SyncKit
import Synchronization

/// Copies all files between the store and a folder, with their bytes, names and times.
struct StoreTransfer {
  private let workspace: Workspace
  private let store: any Replica
  private let tree: FileTree
  private let folder: String

  /// The number of files, and of bytes, that are copied at once.
  private static let batch = CommitLimit(count: 4_096, bytes: 16 << 20)

  /// The result of a transfer.
  struct Result: Sendable {
    var copied = 0
    var unchanged = 0
    var bytes = 0
    /// The files that were not copied, with the reasons.
    var failures: [String] = []
  }

  /// - Parameter folder: the absolute path of the folder.
  init(_ workspace: Workspace, folder: String) async throws(SyncError) {
    (self.workspace, self.folder) = (workspace, folder)
    store = try await workspace.stack.openStore()
    try await store.recover()
    // No remote can have this name.
    let name = "store transfer"
    let parts = RemoteParts(
      name: name, device: workspace.device, runtime: .real, contents: workspace.archive,
      journal: workspace.archive.journal(of: name))
    tree = FileTree(path: folder, parts: parts)
  }

  // MARK: Export

  /// Copies the files of the store into the folder, which must be empty or missing.
  func export() async throws(SyncError) -> Result {
    let entries = try await store.list(since: Known()).entries
    _ = try await tree.claim()
    try await tree.recover()
    let present = try await tree.list(since: Known())
    guard present.count == 0, present.unread.isEmpty else {
      throw SyncError(.pathFailed, "\(folder) is not empty; name an empty folder, or one that does not exist")
    }
    var result = Result()
    for batch in Self.batches(entries) {
      let read = try await read(batch, from: store, &result)
      let changes = read.map {
        Change(path: $0.entry.path, content: $0.content, condition: .absent, modified: $0.entry.modified)
      }
      try await commit(changes, to: tree, &result)
    }
    try await workspace.archive.flush()
    return result
  }

  // MARK: Import

  /// Copies the files of the folder into the store. A file that it replaces is in the history; the store's other files stay.
  func importFolder() async throws(SyncError) -> Result {
    do throws(SyncError) { _ = try await tree.identity() } catch  where error.code == .notFound {
      throw SyncError(.notFound, "the folder \(folder) does not exist")
    }
    let listing = try await tree.list(since: Known())
    _ = try await store.claim()
    var result = Result()
    for part in listing.unread { result.failures.append("\(part.path) is \(Self.text(part.reason)); left out") }
    for batch in Self.batches(listing.entries) {
      let read = try await read(batch, from: tree, &result)
      let changes = try await changes(read, &result)
      guard !changes.isEmpty else { continue }
      let done = try await commit(changes.map(\.change), to: store, &result)
      try await record(zip(changes, done).filter(\.1).map(\.0))
    }
    return result
  }

  /// The changes that give the store these files. The versions that they replace are in the history.
  private func changes(
    _ files: [(entry: Entry, content: Content)], _ result: inout Result
  ) async throws(SyncError) -> [(change: Change, before: Digest?)] {
    let paths = files.map(\.entry.path)
    let present = try await store.read(paths, into: workspace.archive.intake(keepingAtMost: .max))
    var changes: [(change: Change, before: Digest?)] = []
    for (file, found) in try files.paired(with: present, from: "the store") {
      let path = file.entry.path
      switch found {
      case .absent:
        changes.append(
          (Change(path: path, content: file.content, condition: .absent, modified: file.entry.modified), nil))
      case .read(let entry) where entry.digest == file.content.digest: result.unchanged += 1
      case .read(let entry):
        let old = if let digest = entry.digest { try await workspace.archive.content(digest) } else { Content?.none }
        let change = Change(
          path: path, content: file.content, condition: .unchanged(entry.revision), replaced: old,
          modified: file.entry.modified)
        changes.append((change, entry.digest))
      case .postponed(let reason): result.failures.append("\(path) was left out: \(reason)")
      case .failed(let error): result.failures.append("\(path) was left out: \(error.message)")
      }
    }
    let replaced = changes.compactMap { change in
      change.before.map { Version(remote: StoreEdit.name, path: change.change.path, digest: $0, side: .local) }
    }
    try await workspace.archive.keep(replaced)
    try await workspace.archive.flush()
    return changes
  }

  private func record(_ changes: [(change: Change, before: Digest?)]) async throws(SyncError) {
    var record = Record(remote: StoreEdit.name)
    record.actions = changes.map { change, before in
      Action(
        path: change.path, kind: .copy, to: .local, result: .done, detail: "imported with `syncd store import`",
        before: before, after: change.content?.digest)
    }
    try await workspace.archive.record(record)
  }

  // MARK: Both

  /// Reads files. Large ones are held by the archive, the others in memory.
  private func read(
    _ entries: ArraySlice<Entry>, from source: any Storage, _ result: inout Result
  ) async throws(SyncError) -> [(entry: Entry, content: Content)] {
    let sink = CollectingSink(workspace.archive)
    let results = try await source.read(entries.map(\.path), into: sink)
    var files: [(entry: Entry, content: Content)] = []
    for (entry, found) in try entries.paired(with: results, from: source.address) {
      switch found {
      case .read(let read):
        guard let digest = read.digest, let content = try await sink.content(digest) else { continue }
        result.bytes += content.size
        files.append((read, content))
      case .absent: result.failures.append("\(entry.path) was removed meanwhile")
      case .postponed(let reason): result.failures.append("\(entry.path) was left out: \(reason)")
      case .failed(let error): result.failures.append("\(entry.path) was left out: \(error.message)")
      }
    }
    return files
  }

  /// Makes changes, and returns for each if it was made.
  @discardableResult
  private func commit(
    _ changes: [Change], to target: any Storage, _ result: inout Result
  ) async throws(SyncError) -> [Bool] {
    var done: [Bool] = []
    for (change, outcome) in try changes.paired(with: try await target.commit(changes), from: target.address) {
      switch outcome {
      case .done, .accepted: result.copied += 1
      case .cannot(let reason), .postponed(let reason): result.failures.append("\(change.path) was left out: \(reason)")
      case .refused: result.failures.append("\(change.path) was left out: another program has just changed it")
      case .unknown(let error), .failed(let error):
        result.failures.append("\(change.path) was left out: \(error.message)")
      }
      if case .done = outcome { done.append(true) } else { done.append(false) }
    }
    return done
  }

  private static func batches(_ entries: [Entry]) -> [ArraySlice<Entry>] {
    var batches: [ArraySlice<Entry>] = []
    var (start, bytes) = (0, 0)
    for (index, entry) in entries.enumerated() {
      if index > start, index - start == batch.count || bytes + entry.size > batch.bytes {
        batches.append(entries[start..<index])
        (start, bytes) = (index, 0)
      }
      bytes += entry.size
    }
    return batches + (start < entries.count ? [entries[start...]] : [])
  }

  private static func text(_ reason: Unread.Reason) -> String {
    switch reason {
    case .special(let what): what
    case .placeholder(let cloud): "a placeholder of \(cloud)"
    case .failed(let reason): "unreadable (\(reason))"
    }
  }
}

/// Keeps the contents of a batch: small ones in memory, large ones in the archive.
private struct CollectingSink: ContentSink {
  private let archive: any ContentLibrary
  private let collected = Collected()

  private static let largest = 4 << 20

  private final class Collected: Sendable {
    let contents = Mutex<[Digest: Content]>([:])
  }

  init(_ archive: any ContentLibrary) { self.archive = archive }

  func content(_ digest: Digest) async throws(SyncError) -> Content? {
    if let content = collected.contents.withLock({ $0[digest] }) { return content }
    return try await archive.content(digest)
  }

  func receive(
    size: Int, _ body: (any ContentIntake) async throws(SyncError) -> Void
  ) async throws(SyncError) -> (digest: Digest, size: Int) {
    guard size <= Self.largest else { return try await archive.intake(keepingAtMost: .max).receive(size: size, body) }
    let sink = MemorySink(limit: .max)
    try await body(sink)
    let content = Content(sink.bytes)
    collected.contents.withLock { $0[content.digest] = content }
    return (content.digest, content.size)
  }

  func receive(_ bytes: [UInt8]) async throws(SyncError) -> Digest {
    let content = Content(bytes)
    collected.contents.withLock { $0[content.digest] = content }
    return content.digest
  }
}
