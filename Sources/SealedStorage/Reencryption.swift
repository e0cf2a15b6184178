internal import SyncKit

/// Re-encrypts the files of a rekeying job: reads each file with the old encryption and writes it with the new one.
struct Reencryption: Sendable {
  let job: Rekeying
  let source: Rekeying.Side
  let target: Rekeying.Side
  let versions: SealedVersions
  private(set) var outcome = Rekeying.Outcome()
  /// The revisions that were read or written, by the path in the storage.
  private var seen: [SyncPath: Revision] = [:]
  private var written: Set<SyncPath> = []

  init(job: Rekeying, source: Rekeying.Side, target: Rekeying.Side, versions: SealedVersions) {
    (self.job, self.source, self.target, self.versions) = (job, source, target, versions)
  }

  /// The number of files that are read and written at a time.
  private static let window = 128

  /// Processes files until a listing shows no new ones, because other devices may write meanwhile.
  mutating func run() async throws(SyncError) {
    while true {
      let entries = try await listing().filter { seen[$0.path] != $0.revision }
      guard !entries.isEmpty else { return }
      try await encrypt(entries)
    }
  }

  /// Lists all files; throws if it is incomplete: an unreadable file could never be read again without the old key.
  private func listing() async throws(SyncError) -> [Entry] {
    let listing = try await job.storage.list(since: Known())
    guard listing.isWhole else {
      let part = listing.unread.lazy.compactMap { part in
        if case .failed(let reason) = part.reason { "\(part.path): \(reason)" } else { nil }
      }.first
      throw SyncError(
        .unavailable,
        "some files at \(job.storage.address) cannot be decrypted; the old key is kept until they can: "
          + "\(part ?? "the listing is not complete")", remedy: .rekey(remote: job.parts.name))
    }
    return listing.entries
  }

  private mutating func encrypt(_ entries: [Entry]) async throws(SyncError) {
    for start in stride(from: 0, to: entries.count, by: Self.window) {
      try Task.checkPassGoesOn()
      var files: [File] = []
      var removals: [Change] = []
      for entry in entries[start..<min(start + Self.window, entries.count)] {
        seen[entry.path] = entry.revision
        switch try await examine(entry) {
        case .file(let file): files.append(file)
        case .done: if !written.contains(entry.path) { outcome.done += 1 }
        case .held: outcome.held.append(entry.path)
        case .unproven(let path): outcome.unproven.append(path)
        case .removed(let path):
          removals.append(Change(path: entry.path, content: nil, condition: .unchanged(entry.revision)))
          outcome.removed.append(path)
        }
      }
      outcome.sealed += try await write(files)
      try await remove(removals)
    }
  }

  /// A file to write with the new encryption.
  private struct File: Sendable {
    var entry: Entry
    var path: SyncPath
    var content: Content
  }

  private enum Finding {
    case file(File)
    case done
    case held
    case unproven(SyncPath)
    /// A removed file that came back, as with a backup of the remote.
    case removed(SyncPath)
  }

  // MARK: Reading

  private func examine(_ entry: Entry) async throws(SyncError) -> Finding {
    let sink = job.parts.contents.intake(keepingAtMost: .max)
    guard case .read(let read) = try await job.storage.read(file: entry.path, into: sink),
      read.revision == entry.revision, let digest = read.digest, let raw = try await job.parts.contents.content(digest)
    else {
      throw isChanged(entry.path)
    }
    if let file = try await decrypted(raw, at: entry.path, target) {
      await versions.advance(to: file.number)
      return .done
    }
    if let file = try await decrypted(raw, at: entry.path, source) {
      guard try await isAcceptable(file) else { return .unproven(file.path) }
      await versions.advance(to: file.number)
      return .file(File(entry: read, path: file.path, content: file.content))
    }
    // A file that does not belong there is replaced by the last agreed version, if that is known.
    guard case .path(let path) = source.names.reading(of: entry.path) else { return .held }
    guard let content = try await job.memory.agreed(path) else {
      guard try await wasRemoved(raw, at: entry.path) else { return .held }
      try await job.memory.keep(path, digest)
      return .removed(path)
    }
    try await job.memory.keep(path, digest)
    return .file(File(entry: read, path: path, content: content))
  }

  /// Returns true if the file may be re-encrypted. The former format does not authenticate the content, so the file must match
  /// a content that this device knows from elsewhere, or a user accepts it.
  private func isAcceptable(_ file: Found) async throws(SyncError) -> Bool {
    guard let key = source.key, key.format != .current, !job.acceptsUnproven else { return true }
    return try await job.memory.holds(file.path, file.content.digest)
  }

  private struct Found {
    var path: SyncPath
    var content: Content
    var number: UInt64
  }

  /// Returns the file if it is encrypted for this side and belongs to this path.
  private func decrypted(
    _ raw: Content, at place: SyncPath, _ side: Rekeying.Side
  ) async throws(SyncError) -> Found? {
    guard let key = side.key, side.cipher != nil else {
      return try await isReadable(raw) ? Found(path: place, content: raw, number: 0) : nil
    }
    guard let (path, file) = try await authenticated(raw, at: place, side),
      try await isCurrent(file, at: path, key), let content = try await job.parts.contents.content(file.digest)
    else { return nil }
    return Found(path: path, content: content, number: file.number)
  }

  /// Returns true if a device of the remote wrote the file there, and this device knows that it was removed since.
  private func wasRemoved(_ raw: Content, at place: SyncPath) async throws(SyncError) -> Bool {
    guard source.key?.format == .current, let (path, file) = try await authenticated(raw, at: place, source) else {
      return false
    }
    return try await versions.mark(of: path).isRemoval(of: file.number)
  }

  /// Returns the path and the file if a device of this side wrote it for this path, in whatever version.
  private func authenticated(
    _ raw: Content, at place: SyncPath, _ side: Rekeying.Side
  ) async throws(SyncError) -> (SyncPath, DecryptedFile)? {
    guard let cipher = side.cipher, let key = side.key else { return nil }
    let decrypting = DecryptingSink(cipher, key, into: job.parts.contents.intake(keepingAtMost: .max))
    let encrypted = try await decrypting.receive(size: raw.size) { intake throws(SyncError) in
      var reader = try raw.reader()
      while let chunk = try await reader.next() { try await intake.write(chunk) }
    }
    guard case .success(let file)? = decrypting.result(for: encrypted.digest),
      let path = file.path ?? SyncPath(bytes: place.bytes), try side.names.sealed(path) == place,
      file.place == Digest(of: path.bytes)
    else { return nil }
    return (path, file)
  }

  /// Returns true if the file is not outdated. Versions of the former format are not recorded: `isAcceptable` requires more of
  /// them.
  private func isCurrent(_ file: DecryptedFile, at path: SyncPath, _ key: RemoteKey) async throws(SyncError) -> Bool {
    guard key.format == .current else { return true }
    return try await versions.mark(of: path).permits(SealedVersions.Mark(file.number, of: file.digest))
  }

  /// Returns true if the file was not encrypted by either side.
  private func isReadable(_ raw: Content) async throws(SyncError) -> Bool {
    var reader = try raw.reader()
    let start = try await reader.next() ?? []
    return ![source.cipher, target.cipher].contains { $0?.isEncrypted(start) == true }
  }

  // MARK: Writing

  private mutating func write(_ files: [File]) async throws(SyncError) -> Int {
    var changes: [Change] = []
    var marks: [SealedVersions.Mark?] = []
    for file in files {
      let place = try target.names.sealed(file.path)
      let condition: Condition = place == file.entry.path ? .unchanged(file.entry.revision) : .absent
      let (content, mark) = try await encrypted(file)
      changes.append(Change(path: place, content: content, condition: condition))
      marks.append(mark)
    }
    try await job.parts.contents.flush()
    for (index, result) in try changes.indices.paired(with: await carryOut(changes), from: job.storage.address) {
      if case .done(let entry) = result {
        seen[changes[index].path] = entry?.provenRevision
        written.insert(changes[index].path)
        if let mark = marks[index] { try await versions.record(mark, at: Digest(of: files[index].path.bytes)) }
        continue
      }
      guard try await stands(files[index], at: changes[index].path) else {
        throw stopped(at: changes[index].path, result)
      }
    }
    try await versions.flush()
    // An old name is removed only after the new one exists.
    let removals = zip(files, changes).filter { $0.entry.path != $1.path }.map { file, _ in
      Change(path: file.entry.path, content: nil, condition: .unchanged(file.entry.revision))
    }
    try await remove(removals)
    return files.count
  }

  private func remove(_ removals: [Change]) async throws(SyncError) {
    for (removal, result) in try removals.paired(with: await carryOut(removals), from: job.storage.address) {
      guard case .done = result else { throw stopped(at: removal.path, result) }
    }
  }

  /// Returns true if the file has the new encryption already, because an interrupted run wrote it.
  private func stands(_ file: File, at place: SyncPath) async throws(SyncError) -> Bool {
    let sink = job.parts.contents.intake(keepingAtMost: .max)
    guard case .read(let read) = try await job.storage.read(file: place, into: sink),
      let digest = read.digest,
      let raw = try await job.parts.contents.content(digest)
    else { return false }
    return try await decrypted(raw, at: place, target)?.content.digest == file.content.digest
  }

  /// Returns the content with the new encryption, and its version if it is encrypted.
  private func encrypted(_ file: File) async throws(SyncError) -> (Content, SealedVersions.Mark?) {
    guard let cipher = target.cipher, let key = target.key else { return (file.content, nil) }
    let number = try await versions.next()
    let label = Label(file.path, number: number, content: file.content, withPath: target.names.areHidden)
    let content = try await ContentEncryption(cipher: cipher, contents: job.parts.contents)
      .encrypt(file.content, as: file.path, label: label.sealed(key))
    return (content, SealedVersions.Mark(number, of: file.content.digest))
  }

  private func carryOut(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    guard !changes.isEmpty else { return [] }
    try StorageFailpoint.commitStarting.reach()
    let results = try await job.storage.commit(changes)
    try StorageFailpoint.commitFinished.reach()
    return results
  }

  private func stopped(at path: SyncPath, _ result: WriteResult) -> SyncError {
    switch result {
    case .failed(let error), .unknown(let error): return error
    case .cannot(let reason), .postponed(let reason):
      return SyncError(.pathFailed, "\(path) cannot be encrypted: \(reason)")
    default: return isChanged(path)
    }
  }

  private func isChanged(_ path: SyncPath) -> SyncError {
    SyncError(
      .changedMeanwhile, "\(path) changed while it was encrypted", remedy: .rekey(remote: job.parts.name))
  }
}
