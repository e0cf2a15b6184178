internal import OrgKit
package import SyncKit

/// A store as a remote with `match` has it: each Org file has only its matching subtrees, and a file without any is absent.
///
/// A revision of this replica is that of the whole file, so an unchanged file is not read. A write puts the edited subtrees back
/// into the whole file, on the condition that it is the version from which the subtrees came; the replaced version of the whole
/// file is kept in the history first. The identity contains the match: under another match, or without one, both sides are
/// synced as on the first pass.
package struct MatchingStore: Replica {
  let store: any Replica
  let rule: MatchRule
  let parts: RemoteParts
  let files: WholeFiles
  /// True if nothing may be changed, not even what is remembered of files that were read.
  let isReadOnly: Bool

  /// - Parameters:
  ///   - store: The store with whole files.
  ///   - parts: The parts of the remote.
  ///   - files: Gets the versions of whole files that are read and replaced.
  package init(
    _ store: any Replica, _ rule: MatchRule, _ parts: RemoteParts, files: WholeFiles = WholeFiles(),
    isReadOnly: Bool = false
  ) {
    self.store = store
    self.rule = rule
    self.parts = parts
    self.files = files
    self.isReadOnly = isReadOnly
  }

  // MARK: Identity

  package var address: String { rule.address(of: store.address) }

  package func claim() async throws(SyncError) -> RootIdentity { rule.identity(of: try await store.claim()) }

  package func stamp(generation: Int) async throws(SyncError) -> Bool {
    try await store.stamp(generation: generation)
  }

  /// Does nothing: the agreements are about contents that the store does not have.
  package func recorded(_ agreements: [Agreement]) {}

  // MARK: Listing

  package func list(since known: Known) async throws(SyncError) -> Snapshot {
    let listing = try await store.list(since: known.withoutEvidence)
    var builder = SnapshotBuilder(since: known)
    for part in listing.unread { builder.add(unread: part) }
    var memory = try await SelectionMemory(in: parts.journal, of: rule)
    for entry in listing.entries { try await add(entry, to: &builder, known, &memory) }
    if !isReadOnly { try await memory.save() }
    return builder.finish(
      root: rule.identity(of: listing.root), naming: listing.naming, isComplete: listing.isComplete,
      wentBackwards: listing.wentBackwards)
  }

  private func add(
    _ entry: Entry, to builder: inout SnapshotBuilder, _ known: Known, _ memory: inout SelectionMemory
  ) async throws(SyncError) {
    if entry.isFirm, !entry.revision.bytes.isEmpty, known[entry.path] == entry.revision {
      builder.add(Entry(path: entry.path, revision: entry.revision))
      return
    }
    guard MatchRule.applies(to: entry.path) else { return }
    if let size = memory.size(of: entry) {
      if size > 0 { builder.add(entry.presenting(size)) }
      return
    }
    switch try await whole(entry.path, hint: entry) {
    case .absent: break
    case .uncertain(_, let reason): builder.add(unread: Unread(entry.path, .special(reason)))
    case .failed(let error): builder.add(unread: Unread(entry.path, .failed(error.message)))
    case .postponed:
      var unproved = entry.presenting(entry.size)
      unproved.isFirm = false
      builder.add(unproved)
    case .file(let file):
      memory.remember(file.part.isEmpty ? 0 : file.part.bytes.count, of: file.entry)
      if !file.part.isEmpty { builder.add(file.entry.presenting(file.part.bytes.count)) }
    }
  }

  // MARK: Reading

  package func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    var results: [ReadResult] = []
    for path in paths { results.append(try await read(path, into: sink)) }
    return results
  }

  private func read(_ path: SyncPath, into sink: any ContentSink) async throws(SyncError) -> ReadResult {
    switch try await whole(path) {
    case .absent: return .absent
    case .postponed(let reason): return .postponed(reason)
    case .uncertain(_, let reason): return .postponed("it is now \(reason)")
    case .failed(let error): return .failed(error)
    case .file(let file):
      guard !file.part.isEmpty else { return .absent }
      do throws(SyncError) {
        var entry = file.entry.presenting(file.part.bytes.count)
        entry.digest = try await sink.receive(file.part.bytes)
        files.read(Digest(of: file.bytes), at: path)
        return .read(entry)
      } catch {
        guard error.code == .pathFailed else { throw error }
        return .failed(error)
      }
    }
  }

  package func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    var results: [Presence] = []
    for path in paths { results.append(try await confirm(path)) }
    return results
  }

  private func confirm(_ path: SyncPath) async throws(SyncError) -> Presence {
    switch try await whole(path) {
    case .absent: .absent
    case .postponed(let reason): .postponed(reason)
    case .uncertain(_, let reason): .unknown("it is now \(reason)")
    case .failed(let error): .unknown(error.message)
    case .file(let file): file.part.isEmpty ? .absent : .present(file.entry.presenting(file.part.bytes.count))
    }
  }

  // MARK: The store

  package func capabilities() async throws(SyncError) -> Capabilities { try await store.capabilities() }

  package func createRoot() async throws(SyncError) { try await store.createRoot() }

  package func recover() async throws(SyncError) { try await store.recover() }

  package func changes() -> AsyncStream<Void> { store.changes() }

  package func diagnose() async throws(SyncError) -> [Finding] { try await store.diagnose() }
}

extension Entry {
  /// The entry of a file's part: the same revision, another content.
  func presenting(_ size: Int) -> Entry {
    Entry(path: path, revision: revision, isFirm: isFirm, size: size, modified: modified, author: author)
  }
}
