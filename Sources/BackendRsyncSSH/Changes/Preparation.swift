internal import RsyncWire
internal import SyncKit

/// Collects everything that must be known before files are sent.
struct Preparation {
  private let commit: Commit
  /// The changes that have a result before anything is sent.
  private(set) var results: [Int: WriteResult] = [:]
  /// The parent folders of the sent files, including those to create.
  private(set) var folders: [SentFile] = []

  init(_ commit: Commit) { self.commit = commit }

  /// Turns changes into uploads; a change that cannot be sent gets a result.
  mutating func run(_ changes: [Change]) async throws(SyncError) -> [(index: Int, upload: Upload)] {
    for (index, change) in changes.enumerated() {
      guard let objection = RsyncStorage.naming.violation(by: change.path) ?? objection(to: change.content) else {
        continue
      }
      results[index] = .failed(SyncError(.pathFailed, "cannot write \(change.path): \(objection)"))
    }
    let bases = try await formerVersions(changes)
    var uploads: [(index: Int, upload: Upload)] = []
    for (index, change) in changes.enumerated() where results[index] == nil {
      guard let content = change.content else { continue }
      do throws(SyncError) {
        let file = try await sent(content, change)
        uploads.append((index, Upload(path: change.path, content: content, base: bases[index], file: file)))
      } catch {
        guard error.reach < .pass else { throw error }
        results[index] = .failed(error)
      }
    }
    return try await placed(uploads)
  }

  /// A file that could not be read back is not sent.
  private func objection(to content: Content?) -> String? {
    let limits = commit.remote.limits
    return (content?.size ?? 0) > limits.file ? limits.sizeLimitMessage : nil
  }

  // MARK: Previous versions

  /// Returns the contents to replace. Contents that the caller does not have are fetched into the history first, if they are
  /// the version that the change expects.
  private mutating func formerVersions(_ changes: [Change]) async throws(SyncError) -> [Int: Content] {
    var bases: [Int: Content] = [:]
    var asked: [Int: Revision] = [:]
    for (index, change) in changes.enumerated() where results[index] == nil {
      guard case .unchanged(let revision) = change.condition else { continue }
      if let content = change.replaced { bases[index] = content } else { asked[index] = revision }
    }
    guard !asked.isEmpty else { return bases }
    let contents = commit.storage.parts.contents
    let time = commit.runtime.now()
    var query = LookupQuery(asked.keys.map { changes[$0].path })
    query.fetched = Set(query.paths)
    query.sink = contents.intake(keepingAtMost: .max)
    let lookup = try await commit.remote.lookUp(query)
    for (index, revision) in asked {
      let path = changes[index].path
      guard let file = lookup.files[path], file.kind == .file else {
        results[index] = lookup.isWhole ? .refused(nil) : .failed(unclear(path))
        continue
      }
      guard lookup.contents[path].map({ if case .tooLarge = $0 { false } else { true } }) ?? true else {
        results[index] = .failed(
          SyncError(.pathFailed, "cannot replace \(path): \(commit.remote.limits.sizeLimitMessage)"))
        continue
      }
      guard file.revision == revision, case .content(let digest, _)? = lookup.contents[path] else {
        results[index] = .refused(commit.storage.entry(file, at: path, seen: time))
        continue
      }
      bases[index] = try await contents.content(digest)
      if bases[index] == nil { results[index] = .failed(unclear(path)) }
    }
    return bases
  }

  private func unclear(_ path: SyncPath) -> SyncError {
    SyncError(.pathFailed, "cannot check \(path) on \(commit.remote.folder.hostName)")
  }

  // MARK: Sent files

  private func sent(_ content: Content, _ change: Change) async throws(SyncError) -> SentFile {
    let time = (change.modified ?? commit.runtime.now()).nanoseconds
    let (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
    // The digits below a millisecond are random, so that no other version has the same time.
    let random = commit.runtime.random(3).reduce(0) { $0 << 8 | Int64($1) } % 999_999 + 1
    let nanoseconds = max(0, rest) / 1_000_000 * 1_000_000 + random
    return SentFile(
      name: change.path.bytes, kind: .file, size: Int64(content.size), seconds: seconds - (rest < 0 ? 1 : 0),
      nanoseconds: Int32(nanoseconds), hash: try await content.wireHash())
  }

  // MARK: Folders

  /// Omits files below something that is not a folder, and collects the parent folders of the others.
  private mutating func placed(
    _ uploads: [(index: Int, upload: Upload)]
  ) async throws(SyncError) -> [(index: Int, upload: Upload)] {
    let above = Set(uploads.flatMap { $0.upload.path.ancestors })
    let doubtful = above.filter { !commit.state.knows(folder: $0) }
    var files: [SyncPath: ListedFile] = [:]
    if !doubtful.isEmpty {
      files = try await commit.remote.lookUp(LookupQuery(Array(doubtful))).files
      commit.state.record(folders: files.filter { $0.value.kind == .folder }.keys)
    }
    var remaining: [(index: Int, upload: Upload)] = []
    for (index, upload) in uploads {
      let obstacle = upload.path.ancestors.first { files[$0].map { $0.kind != .folder } ?? false }
      if let obstacle {
        let specialKind = files[obstacle]?.specialKind ?? "a file"
        results[index] = .failed(
          SyncError(.pathFailed, "cannot write \(upload.path): \(obstacle) is \(specialKind)"))
      } else {
        remaining.append((index, upload))
      }
    }
    folders = Set(remaining.flatMap { $0.upload.path.ancestors }).map { folder in
      SentFile(
        name: folder.bytes, kind: doubtful.contains(folder) && files[folder] == nil ? .newFolder : .folder, seconds: 0,
        nanoseconds: 0)
    }
    return remaining
  }
}
