import SyncKit

/// The files of a replica in memory, and the rules by which they change: the common part of storage and replica.
struct MemoryFiles: Sendable {
  struct File: Sendable {
    var content: Content
    var entry: Entry
  }

  private(set) var files: [SyncPath: File] = [:]
  let naming: NamingRules
  let isFirm: Bool
  private var lastRevision = 0
  /// The number of files below each folder, at any depth.
  private var folders: [SyncPath: Int] = [:]

  init(naming: NamingRules, isFirm: Bool) {
    self.naming = naming
    self.isFirm = isFirm
  }

  func presence(of path: SyncPath) -> Presence {
    files[path].map { .present($0.entry) } ?? .absent
  }

  /// Replaces a file unconditionally, as an editor does.
  mutating func put(_ content: Content, at path: SyncPath, author: String? = nil) -> Entry {
    lastRevision += 1
    let entry = Entry(
      path: path, revision: Revision("\(lastRevision)"), isFirm: isFirm, size: content.size,
      modified: Timestamp(seconds: Int64(lastRevision)), author: author)
    if files.updateValue(File(content: content, entry: entry), forKey: path) == nil { count(1, in: path.ancestors) }
    return entry
  }

  /// Adds a version that was made without knowledge of the present one. The next write replaces both.
  mutating func putConcurrently(_ content: Content, at path: SyncPath, _ origin: Concurrency) {
    _ = put(content, at: path)
    files[path]?.entry.concurrent = origin
  }

  mutating func take(_ path: SyncPath) {
    if files.removeValue(forKey: path) != nil { count(-1, in: path.ancestors) }
  }

  /// Goes back to former files. No revision is used again.
  mutating func restore(_ former: MemoryFiles) {
    (files, folders) = (former.files, former.folders)
  }

  mutating func carryOut(_ change: Change) -> WriteResult {
    guard let content = change.content else { return remove(change.path, if: change.condition) }
    return write(content, to: change.path, if: change.condition)
  }

  private mutating func write(_ content: Content, to path: SyncPath, if condition: Condition) -> WriteResult {
    if let objection = naming.violation(by: path) ?? collision(of: path) { return .cannot(objection) }
    guard holds(condition, at: path) else { return .refused(files[path]?.entry) }
    if let obstacle = obstacle(to: path) { return .failed(SyncError(.pathFailed, obstacle)) }
    return .done(put(content, at: path))
  }

  private mutating func remove(_ path: SyncPath, if condition: Condition) -> WriteResult {
    guard holds(condition, at: path) else { return .refused(files[path]?.entry) }
    take(path)
    return .done(nil)
  }

  func snapshot(since known: Known, root: RootIdentity) -> Snapshot {
    var builder = SnapshotBuilder(since: known)
    for file in files.values.sorted(by: { $0.entry.path < $1.entry.path }) { builder.add(file.entry) }
    return builder.finish(root: root, naming: naming)
  }

  private func holds(_ condition: Condition, at path: SyncPath) -> Bool {
    switch condition {
    case .absent: files[path] == nil
    case .unchanged(let revision): files[path]?.entry.revision == revision
    }
  }

  private func collision(of path: SyncPath) -> String? {
    guard naming.folds, files[path] == nil else { return nil }
    let key = path.collisionKey(under: naming)
    let twin = files.keys.filter { $0.collisionKey(under: naming) == key }.min()
    return twin.map { "the storage treats \(path) and \($0) as the same name" }
  }

  private func obstacle(to path: SyncPath) -> String? {
    if let file = path.ancestors.first(where: { files[$0] != nil }) { return "\(file) is a file, not a folder" }
    return folders[path, default: 0] > 0 ? "\(path) is a folder" : nil
  }

  private mutating func count(_ change: Int, in folders: [SyncPath]) {
    for folder in folders { self.folders[folder, default: 0] += change }
  }
}

extension MemoryFiles {
  /// Reads one whole file into `sink`; the returned entry has the digest.
  func read(_ path: SyncPath, into sink: any ContentSink) async throws(SyncError) -> ReadResult {
    guard let file = files[path] else { return .absent }
    var entry = file.entry
    entry.digest = try await sink.receive(try await file.content.bytes())
    return .read(entry)
  }
}

/// A copy of a content in memory, independent of its source.
func inMemory(_ content: Content?) async throws(SyncError) -> Content? {
  guard let content else { return nil }
  let bytes = try await content.bytes()
  let digest = Digest(of: bytes)
  guard digest == content.digest else { throw SyncError(.changedMeanwhile, "the content changed while it was read") }
  return Content(bytes, digest: digest)
}
