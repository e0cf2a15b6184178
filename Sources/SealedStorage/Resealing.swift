internal import SyncKit

/// The files' part of a job of sealing anew: each that is sealed in the old way is written in the new one.
struct Resealing: Sendable {
  let job: Rekeying
  let source: Rekeying.Side
  let target: Rekeying.Side
  let versions: SealedVersions
  private(set) var outcome = Rekeying.Outcome()
  /// Which files were looked at or written, by the place where they are.
  private var seen: [SyncPath: Revision] = [:]
  private var written: Set<SyncPath> = []

  init(job: Rekeying, source: Rekeying.Side, target: Rekeying.Side, versions: SealedVersions) {
    (self.job, self.source, self.target, self.versions) = (job, source, target, versions)
  }

  /// How many files are read and written in one go.
  private static let window = 128

  /// Goes over the files until a listing shows nothing that was not looked at: other devices may be at work meanwhile.
  mutating func run() async throws(SyncError) {
    while true {
      let entries = try await listing().filter { seen[$0.path] != $0.revision }
      guard !entries.isEmpty else { return }
      try await seal(entries)
    }
  }

  /// Everything that is there. What cannot be read now could never be read again once the old key is gone.
  private func listing() async throws(SyncError) -> [Entry] {
    let listing = try await job.storage.list(since: Known())
    guard listing.isWhole else {
      let part = listing.unread.lazy.compactMap { part in
        if case .failed(let reason) = part.reason { "\(part.path): \(reason)" } else { nil }
      }.first
      throw SyncError(
        .unavailable,
        "not everything at \(job.storage.address) can be read, and the old key is kept until it can: "
          + "\(part ?? "the listing is not complete")", remedy: .rekey(remote: job.parts.name))
    }
    return listing.entries
  }

  private mutating func seal(_ entries: [Entry]) async throws(SyncError) {
    for start in stride(from: 0, to: entries.count, by: Self.window) {
      try Task.checkPassGoesOn()
      var files: [File] = []
      for entry in entries[start..<min(start + Self.window, entries.count)] {
        seen[entry.path] = entry.revision
        switch try await look(at: entry) {
        case .file(let file): files.append(file)
        case .done: if !written.contains(entry.path) { outcome.done += 1 }
        case .held: outcome.held.append(entry.path)
        }
      }
      outcome.sealed += try await write(files)
    }
  }

  /// A file to be written anew.
  private struct File: Sendable {
    var entry: Entry
    var path: SyncPath
    var content: Content
  }

  private enum Finding {
    case file(File)
    case done
    case held
  }

  // MARK: Looking

  private func look(at entry: Entry) async throws(SyncError) -> Finding {
    let sink = job.parts.contents.intake(keepingAtMost: .max)
    guard case .read(let read) = try await job.storage.read(entry.path, expecting: entry.revision, into: sink),
      let digest = read.digest, let raw = try await job.parts.contents.content(digest)
    else {
      throw isChanged(entry.path)
    }
    if let file = try await open(raw, at: entry.path, target) {
      await versions.advance(to: file.number)
      return .done
    }
    if let file = try await open(raw, at: entry.path, source) {
      return .file(File(entry: read, path: file.path, content: file.content))
    }
    // What does not belong there gives way to what both sides agreed on, if that is known and the name tells where it goes.
    guard case .path(let path) = source.names.reading(of: entry.path), let content = try await job.agreed(path) else {
      return .held
    }
    try await job.keep(path, digest)
    return .file(File(entry: read, path: path, content: content))
  }

  /// The file, and the number of its version, if it is there in this way, and belongs there.
  private func open(
    _ raw: Content, at place: SyncPath, _ side: Rekeying.Side
  ) async throws(SyncError) -> (path: SyncPath, content: Content, number: UInt64)? {
    guard let cipher = side.cipher, let key = side.key else {
      return try await isReadable(raw) ? (place, raw, 0) : nil
    }
    let opening = OpeningSink(cipher, into: job.parts.contents.intake(keepingAtMost: .max))
    let sealed = try await opening.receive(size: raw.size) { intake throws(SyncError) in
      var reader = try raw.reader()
      while let chunk = try await reader.next() { try await intake.write(chunk) }
    }
    guard case .success(let file)? = opening.outcome(of: sealed.digest),
      let label = file.label.flatMap({ Label($0, key) }),
      let path = label.path ?? SyncPath(bytes: place.bytes), try side.names.sealed(path) == place,
      label.place == Digest(of: path.bytes), try await versions.number(of: path) <= label.number,
      let content = try await job.parts.contents.content(file.digest)
    else { return nil }
    return (path, content, label.number)
  }

  /// Whether neither way of sealing has anything to do with it.
  private func isReadable(_ raw: Content) async throws(SyncError) -> Bool {
    var reader = try raw.reader()
    let start = try await reader.next() ?? []
    return ![source.cipher, target.cipher].contains { $0?.isSealed(start) == true }
  }

  // MARK: Writing

  private mutating func write(_ files: [File]) async throws(SyncError) -> Int {
    var changes: [Change] = []
    var labels: [Label?] = []
    for file in files {
      let place = try target.names.sealed(file.path)
      let condition: Condition = place == file.entry.path ? .unchanged(file.entry.revision) : .absent
      let (content, label) = try await sealed(file)
      changes.append(Change(path: place, content: content, condition: condition))
      labels.append(label)
    }
    try await job.parts.contents.flush()
    for (index, result) in try await carryOut(changes).enumerated() {
      if case .done(let entry) = result {
        seen[changes[index].path] = entry?.provenRevision
        written.insert(changes[index].path)
        if let label = labels[index] { try await versions.note(label.place, label.number) }
        continue
      }
      guard try await stands(files[index], at: changes[index].path) else {
        throw stopped(at: changes[index].path, result)
      }
    }
    try await versions.flush()
    // A former name goes only when the new one is there.
    let removals = zip(files, changes).filter { $0.entry.path != $1.path }.map { file, _ in
      Change(path: file.entry.path, content: nil, condition: .unchanged(file.entry.revision))
    }
    for (removal, result) in zip(removals, try await carryOut(removals)) {
      guard case .done = result else { throw stopped(at: removal.path, result) }
    }
    return files.count
  }

  /// Whether the file is there in the new way already: it was written before the job was interrupted.
  private func stands(_ file: File, at place: SyncPath) async throws(SyncError) -> Bool {
    let sink = job.parts.contents.intake(keepingAtMost: .max)
    guard case .read(let read) = try await job.storage.read(place, expecting: nil, into: sink),
      let digest = read.digest,
      let raw = try await job.parts.contents.content(digest)
    else { return false }
    return try await open(raw, at: place, target)?.content.digest == file.content.digest
  }

  /// The content in the new way, and what it is labelled with if it is sealed there.
  private func sealed(_ file: File) async throws(SyncError) -> (Content, Label?) {
    guard let cipher = target.cipher, let key = target.key else { return (file.content, nil) }
    let label = Label(file.path, number: try await versions.next(), withPath: target.names.areHidden)
    let content = try await ContentSealer(cipher: cipher, contents: job.parts.contents)
      .seal(file.content, as: file.path, label: label.sealed(key))
    return (content, label)
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
      return SyncError(.pathFailed, "\(path) cannot be sealed anew: \(reason)")
    default: return isChanged(path)
    }
  }

  private func isChanged(_ path: SyncPath) -> SyncError {
    SyncError(
      .changedMeanwhile, "\(path) changed while it was encrypted", remedy: .rekey(remote: job.parts.name))
  }
}
