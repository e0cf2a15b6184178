import ArchiveSQLite
package import SyncKit

/// Merges conflict copies that other programs left in the store into the files that they belong to.
package struct CopyAdoption {
  private let workspace: Workspace
  private let store: any Replica
  private let merger: any ContentMerger

  /// The result for one copy.
  package enum Outcome: Hashable, Sendable {
    /// The file has everything in the copy, which is removed.
    case removed
    /// The file gets everything in the copy, which is removed.
    case merged
    /// The same, and the file has marks where a person has to decide.
    case marked
    /// The copy stays, for this reason.
    case kept(reason: String)
  }

  package init(in workspace: Workspace) async throws(SyncError) {
    self.workspace = workspace
    store = try await workspace.stack.openStore()
    merger = try await workspace.merger()
  }

  /// Returns the copies among the files that the settings sync.
  package func copies() async throws(SyncError) -> [ForeignCopy] {
    let filter = try await workspace.stack.filter(for: store)
    return ForeignCopy.all(among: try await store.list(since: Known(filter: filter)).changedPaths)
  }

  /// Adopts a copy; in a read-only workspace, only returns the result that it would have.
  package func adopt(_ copy: ForeignCopy) async throws(SyncError) -> Outcome {
    guard let copySize = try await size(of: copy.path) else { return Self.gone }
    guard let fileSize = try await size(of: copy.file) else { return fileMissing(copy) }
    if let reason = obstacle(copy, size: max(copySize, fileSize)) {
      // Equal files need no merge.
      guard copySize == fileSize, let digest = try await digest(of: copy.path),
        try await self.digest(of: copy.file) == digest
      else { return .kept(reason: reason) }
      try await remove(copy, Stored(bytes: [], digest: digest))
      return .removed
    }
    guard let theirs = try await content(at: copy.path, atMost: copySize) else { return Self.gone }
    guard let ours = try await content(at: copy.file, atMost: fileSize) else { return fileMissing(copy) }
    if Self.hasMarks(theirs.bytes) { return .kept(reason: "it contains the marks of an unfinished merge") }
    let merge = try await self.merge(copy, ours, theirs)
    switch merge.outcome {
    case .kept: return merge.outcome
    case .removed: break
    case .merged, .marked: try await write(merge, over: ours, theirs, copy)
    }
    try await remove(copy, theirs)
    return merge.outcome
  }

  // MARK: Deciding

  private struct Merge {
    var outcome: Outcome
    var content: [UInt8] = []
    var base: Digest?
  }

  private static let gone = Outcome.kept(reason: "it has just been removed")

  private func fileMissing(_ copy: ForeignCopy) -> Outcome {
    .kept(reason: "\(copy.file) does not exist; rename the copy if you want it")
  }

  /// Returns the reason that forbids any merge of files of this kind and size; nil if there is none.
  private func obstacle(_ copy: ForeignCopy, size: Int) -> String? {
    // The base is the version with the most similar lines, and ciphertexts have no similar lines.
    if workspace.configuration.store.seals.contains(where: { $0.seals(copy.file) }) {
      return "\(copy.file) is encrypted, so syncd cannot find the version that the copy was made from; "
        + "compare the two, and delete the copy"
    }
    guard merger.merges(copy.file, size: size) else {
      return "files of this kind or size cannot be merged; compare it with \(copy.file), and delete one of them"
    }
    return nil
  }

  private static func hasMarks(_ text: [UInt8]) -> Bool {
    text.split(separator: UInt8(ascii: "\n")).contains { $0.starts(with: Array("<<<<<<< ".utf8)) }
  }

  private func merge(_ copy: ForeignCopy, _ ours: Stored, _ theirs: Stored) async throws(SyncError) -> Merge {
    // A run that was interrupted has written the file.
    if try await adopted(copy) == AdoptedCopy(copy: theirs.digest, file: ours.digest) {
      return Merge(outcome: .removed)
    }
    let history = try await workspace.history.versions(of: copy.file)
    let agreed = try await agreedDigests(of: copy.file, history)
    // A former version of the file has nothing that the history lacks.
    if ([ours.digest] + agreed + history.map(\.digest)).contains(theirs.digest) { return Merge(outcome: .removed) }
    switch await merger.isMarked(ours.bytes, at: copy.file) {
    case true?: return Merge(outcome: .kept(reason: "\(copy.file) has an open conflict; resolve it first"))
    case nil: return Merge(outcome: .kept(reason: "syncd cannot decrypt \(copy.file)"))
    case false?: break
    }
    let merge = try await CopyMerge(
      merger: merger, archive: workspace.archive, path: copy.file, versions: agreed, file: ours.bytes,
      copy: theirs.bytes)
    if copy.isUncertain, !merge.isRelated {
      return Merge(outcome: .kept(reason: "it differs too much from \(copy.file) to be a version of it"))
    }
    switch try await merge.result() {
    case .clean(let bytes): return Merge(outcome: bytes == ours.bytes ? .removed : .merged, content: bytes)
    case .marked(let bytes) where !copy.isUncertain && marksConflicts(of: copy.file):
      return Merge(outcome: .marked, content: bytes, base: merge.base)
    case .marked, .decided, .sideBySide:
      return Merge(outcome: .kept(reason: "both changed the same place; edit \(copy.file), then delete the copy"))
    }
  }

  /// The name of a remote that syncs whole files; nil if none does. A conflict is recorded for such a remote only.
  private var wholeRemote: String? { wholeFileRemote?.name }

  private var wholeFileRemote: RemoteConfiguration? { workspace.configuration.remotes.first { $0.match == nil } }

  /// Returns true if a conflict of the file may be marked in it and recorded.
  private func marksConflicts(of path: SyncPath) -> Bool {
    guard let remote = wholeFileRemote?.settings else { return false }
    let policies = workspace.options.conflicts.with(remote.conflicts, rules: remote.conflictRules)
    return policies.policy(for: path) == .merge
  }

  /// Returns the digests of the versions of a file that were agreed with a remote, newest first. No other version can be the
  /// base: an interrupted run, or `syncd undo`, can have added it.
  private func agreedDigests(of path: SyncPath, _ history: [DisplacedVersion]) async throws(SyncError) -> [Digest] {
    let partial = workspace.configuration.partialRemotes
    let present = try await workspace.history.decisions(on: path).filter { !partial.contains($0.remote) }
    let former = history.filter { $0.side == nil && !partial.contains($0.remote) }
    var known: Set<Digest> = []
    return (present.compactMap(\.agreement?.digest) + former.map(\.digest)).filter { known.insert($0).inserted }
  }

  // MARK: Reading

  private struct Stored {
    var bytes: [UInt8]
    var digest: Digest
  }

  /// Returns the size of a file; nil if it does not exist.
  private func size(of path: SyncPath) async throws(SyncError) -> Int? {
    switch try await store.confirm(file: path) {
    case .present(let entry): return entry.size
    case .absent: return nil
    case .postponed(let reason), .unknown(let reason):
      throw SyncError(.pathFailed, "cannot read \(path) now: \(reason)")
    }
  }

  /// Returns the content of a file that had this size when it was looked up; nil if the file does not exist.
  private func content(at path: SyncPath, atMost size: Int) async throws(SyncError) -> Stored? {
    let sink = MemorySink(limit: size)
    guard try await read(path, into: sink) != nil else { return nil }
    return Stored(bytes: sink.bytes, digest: Digest(of: sink.bytes))
  }

  /// Returns the digest of a file, and does not keep the file in memory; nil if it does not exist.
  private func digest(of path: SyncPath) async throws(SyncError) -> Digest? {
    try await read(path, into: workspace.archive.intake(keepingAtMost: 0))?.digest
  }

  private func read(_ path: SyncPath, into sink: any ContentSink) async throws(SyncError) -> Entry? {
    switch try await store.read(file: path, into: sink) {
    case .read(let entry): return entry
    case .absent: return nil
    case .postponed(let reason): throw SyncError(.pathFailed, "cannot read \(path) now: \(reason)")
    case .failed(let error): throw error
    }
  }

  // MARK: Writing

  /// Writes the merge into the file. If the program is interrupted before the copy is removed, the next run only removes it.
  private func write(
    _ merge: Merge, over ours: Stored, _ theirs: Stored, _ copy: ForeignCopy
  ) async throws(SyncError) {
    guard workspace.access != .readOnly else { return }
    let content = Content(merge.content)
    try await setAdopted(AdoptedCopy(copy: theirs.digest, file: content.digest), copy)
    if merge.outcome == .marked {
      try await open(
        OpenConflict(
          path: copy.file, base: merge.base, local: ours.digest, remote: theirs.digest, marked: content.digest))
    }
    try await put(content, at: copy.file, replacing: ours.digest)
  }

  /// Records a conflict before its marks are written. The next pass ends a conflict without marks.
  private func open(_ conflict: OpenConflict) async throws(SyncError) {
    guard let wholeRemote else {
      throw SyncError(.pathFailed, "cannot record the conflict of \(conflict.path): no remote syncs whole files")
    }
    var record = Record(remote: wholeRemote)
    record.opened = [conflict]
    try await workspace.archive.record(record)
  }

  private func remove(_ copy: ForeignCopy, _ theirs: Stored) async throws(SyncError) {
    guard workspace.access != .readOnly else { return }
    try await put(nil, at: copy.path, replacing: theirs.digest)
    try await setAdopted(nil, copy)
  }

  private func put(_ content: Content?, at path: SyncPath, replacing former: Digest) async throws(SyncError) {
    let edit = try await StoreEdit(workspace, as: "adopted with `syncd adopt`")
    edit.expect(former, at: path)
    try await edit.put(content, at: path)
  }

  // MARK: Interrupted runs

  private var journal: any Journal { workspace.archive.journal(of: StoreEdit.name) }

  private func adopted(_ copy: ForeignCopy) async throws(SyncError) -> AdoptedCopy? {
    try await journal.records()[AdoptedCopy.key(copy)].flatMap(AdoptedCopy.init(record:))
  }

  private func setAdopted(_ adopted: AdoptedCopy?, _ copy: ForeignCopy) async throws(SyncError) {
    try await journal.write([AdoptedCopy.key(copy): adopted?.record])
  }
}

/// The journal's record of a copy whose file is written before the copy is removed.
private struct AdoptedCopy: Equatable {
  var copy: Digest
  /// The file with everything in the copy.
  var file: Digest

  static func key(_ copy: ForeignCopy) -> String { "adopt.\(copy.path)" }

  var record: [UInt8] { Array("\(copy) \(file)".utf8) }
}

extension AdoptedCopy {
  init?(record: [UInt8]) {
    let parts = String(decoding: record, as: UTF8.self).split(separator: " ").compactMap {
      Digest(hexadecimal: String($0))
    }
    guard parts.count == 2 else { return nil }
    (copy, file) = (parts[0], parts[1])
  }
}
