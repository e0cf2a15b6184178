internal import SFTPWire
internal import SyncKit

/// A change of one file.
///
/// The new version is uploaded beside the file. Then the old one is moved away, whatever it is by then, and compared with the
/// expected one. Only if it is that one, the new version is linked to the free name, and the old one is removed once its content
/// was read and found to be the expected one. Any other version gets its name back. So no version is ever overwritten.
struct FileChange: Sendable {
  let path: SyncPath
  private let content: Content?
  private let condition: Condition
  private let replaced: Digest?
  private let storage: SFTPStorage
  private let placement: Placement
  /// The name of the uploaded version.
  private let uploaded: SyncPath
  /// The name of the version that is moved away.
  let kept: SyncPath

  private var server: Server { storage.server }
  private var folder: RemoteFolder { storage.folder }
  private var state: SFTPState { storage.state }

  init?(_ change: Change, _ suffix: String, on storage: SFTPStorage, _ traits: Traits) {
    let name = Array(change.path.name)
    guard let uploaded = change.path.sibling(name + Array(PreviousVersionName.linked(suffix).utf8)),
      let kept = change.path.sibling(name + Array(suffix.utf8))
    else { return nil }
    (path, content, condition, replaced) = (change.path, change.content, change.condition, change.replaced?.digest)
    self.storage = storage
    placement = Placement(storage: storage, traits: traits)
    (self.uploaded, self.kept) = (uploaded, kept)
  }

  func run() async throws(SyncError) -> WriteResult {
    switch (content, condition) {
    case (let content?, .absent): try await create(content)
    case (let content?, .unchanged(let revision)):
      placement.traits.movesAtomically && path.bytes.elementsEqual(ReservedName.marker.utf8)
        ? try await overwrite(revision, by: content) : try await replace(revision, by: content)
    case (nil, .unchanged(let revision)): try await remove(revision)
    case (nil, .absent): try await refusal(orIfAbsent: .done(nil))
    }
  }

  // MARK: Creating

  private func create(_ content: Content) async throws(SyncError) -> WriteResult {
    try await withUpload(of: content, over: nil) { facts throws(SyncError) in
      var naming = try await placement.name(uploaded, path, facts)
      if case .refused = naming, try await EmptyFolders(storage: storage).clear(path) {
        naming = try await placement.name(uploaded, path, facts)
      }
      switch naming {
      case .done: return done(facts, content)
      case .refused: return try await refusal(orIfAbsent: .failed(cannotStore(naming.reason)))
      case .unknown: return .unknown(cannotStore(naming.reason))
      }
    }
  }

  // MARK: Replacing

  private func replace(_ revision: Revision, by content: Content) async throws(SyncError) -> WriteResult {
    guard case .file(let attributes, let facts) = try await storage.lookUp(path), facts.revision == revision else {
      return try await refusal(orIfAbsent: .refused(nil))
    }
    return try await withUpload(of: content, over: (attributes, facts)) { uploadedFacts throws(SyncError) in
      if let result = try await moveAway(revision) { return result }
      let naming = try await placement.name(uploaded, path, uploadedFacts)
      switch naming {
      case .done:
        try await letGo(revision)
        return done(uploadedFacts, content)
      case .refused:
        // Another writer has used the name, or the server has no room for it.
        if try await placement.restore(kept, to: path) { return .failed(cannotStore(naming.reason)) }
        return try await refusal(orIfAbsent: .failed(cannotStore(naming.reason)))
      // The old version keeps its temporary name: under its own, it could take the place of the new one.
      case .unknown: return .unknown(cannotStore(naming.reason))
      }
    }
  }

  /// Replaces the marker in one step: people do not edit it, and a device that does not find it would make another one.
  private func overwrite(_ revision: Revision, by content: Content) async throws(SyncError) -> WriteResult {
    guard case .file(let attributes, let facts) = try await storage.lookUp(path), facts.revision == revision else {
      return try await refusal(orIfAbsent: .refused(nil))
    }
    return try await withUpload(of: content, over: (attributes, facts)) { uploadedFacts throws(SyncError) in
      guard case .file(_, facts) = try await storage.lookUp(path) else {
        return try await refusal(orIfAbsent: .refused(nil))
      }
      let reply = try await server.perform(placement.moving(uploaded, to: path))
      return reply.isDone ? done(uploadedFacts, content) : .failed(cannotStore(reply.reason))
    }
  }

  // MARK: Removing

  /// Removes the version, if the file still has it and its content is the expected one.
  func remove(_ revision: Revision) async throws(SyncError) -> WriteResult {
    guard case .file(_, let facts) = try await storage.lookUp(path), facts.revision == revision else {
      return try await refusal(orIfAbsent: .refused(nil))
    }
    if let result = try await moveAway(revision) { return result }
    guard try await keepsExpectedContent(revision) else {
      try await placement.restore(kept, to: path)
      return try await refusal(orIfAbsent: .refused(nil))
    }
    return try await removeKept()
  }

  /// Removes the version that was moved away; gives it its name back if that is not possible.
  func removeKept() async throws(SyncError) -> WriteResult {
    let reply = try await server.perform(.remove(folder.bytes(of: kept)))
    guard reply.isDone || reply.isMissing else {
      try await placement.restore(kept, to: path)
      return .failed(SyncError(.pathFailed, "cannot remove \(path) on \(folder.hostName): \(reply.reason)"))
    }
    return .done(nil)
  }

  // MARK: Steps

  /// Moves the present version away. Returns the result if it is not the expected one; it then has its name again.
  func moveAway(_ revision: Revision) async throws(SyncError) -> WriteResult? {
    let name = folder.bytes(of: kept)
    let replies = try await server.perform([placement.moving(path, to: kept), .stat(name), .readLink(name)])
    guard replies[0].isDone else {
      return try await refusal(
        orIfAbsent: .refused(nil), orIf: revision,
        .failed(SyncError(.pathFailed, "cannot replace \(path) on \(folder.hostName): \(replies[0].reason)")))
    }
    var isLink = false
    if case .names = replies[2] { isLink = true }
    let facts = replies[1].attributes.flatMap { $0.kind == .file && !isLink ? FileFacts($0) : nil }
    if facts?.revision == revision { return nil }
    try await placement.restore(kept, to: path)
    return try await refusal(orIfAbsent: .refused(nil))
  }

  /// Returns true if the version that was moved away has the expected content, or only its revision is known.
  func keepsExpectedContent(_ revision: Revision) async throws(SyncError) -> Bool {
    guard let expected = expectedDigest(revision) else { return true }
    guard case .read(let found) = try await storage.fetch(folder.bytes(of: kept), into: DigestSink()) else {
      return false
    }
    return found.digest == expected
  }

  /// Removes the version that was moved away if its content is the expected one. Another content of the same size and second,
  /// which no pass has seen, gets a name of its own.
  private func letGo(_ revision: Revision) async throws(SyncError) {
    let name = folder.bytes(of: kept)
    guard let expected = expectedDigest(revision) else {
      _ = try await server.perform(.remove(name))
      return
    }
    switch try await storage.fetch(name, into: DigestSink()) {
    case .read(let found) where found.digest == expected: _ = try await server.perform(.remove(name))
    case .read(let found): try await placement.setAside(kept, of: path, found.digest, found.facts.modified)
    // A later pass reads it again.
    case .changed, .missing, .unreadable: break
    }
  }

  /// The content that is to be replaced; nil if only its revision is known.
  private func expectedDigest(_ revision: Revision) -> Digest? { replaced ?? state.digest(of: path, revision) }

  /// Uploads the content, runs `work` with its attributes, and removes its temporary name.
  private func withUpload(
    of content: Content, over former: (attributes: SFTPAttributes, facts: FileFacts)?,
    _ work: (FileFacts) async throws(SyncError) -> WriteResult
  ) async throws(SyncError) -> WriteResult {
    let upload = Upload(storage: storage, path: uploaded, syncs: placement.traits.syncs)
    let name = folder.bytes(of: uploaded)
    do throws(SyncError) {
      let result = try await work(try await upload.run(content, over: former))
      _ = try await server.perform(.remove(name))
      return result
    } catch {
      // Without a connection, the next pass removes it.
      if error.reach == .path { server.post([.remove(name)]) }
      throw error
    }
  }

  func done(_ facts: FileFacts, _ content: Content) -> WriteResult {
    state.record(content.digest, facts.revision, of: path)
    state.record(file: path)
    return .done(facts.entry(at: path, isFirm: state.isFirm(facts, at: path), digest: content.digest))
  }

  /// The result for a condition that does not hold.
  ///
  /// - Parameters:
  ///   - absent: the result without a file.
  ///   - expected: a revision with which the file is as expected, and the result for it.
  func refusal(
    orIfAbsent absent: WriteResult, orIf expected: Revision? = nil, _ unchanged: WriteResult? = nil
  ) async throws(SyncError) -> WriteResult {
    switch try await storage.lookUp(path) {
    case .file(_, let facts):
      if let unchanged, facts.revision == expected { return unchanged }
      return .refused(facts.entry(at: path, isFirm: state.isFirm(facts, at: path)))
    case .absent: return absent
    case .other("a folder"):
      return content == nil
        ? .refused(nil) : .failed(SyncError(.pathFailed, "\(path) is a folder on \(folder.hostName)"))
    case .other(let kind):
      return .failed(SyncError(.pathFailed, "\(path) is \(kind) on \(folder.hostName); it is not replaced"))
    case .unknown(let reason):
      return .failed(SyncError(.pathFailed, "cannot look up \(path) on \(folder.hostName): \(reason)"))
    }
  }

  private func cannotStore(_ reason: String) -> SyncError {
    SyncError(.pathFailed, "cannot store \(path) on \(folder.hostName): \(reason)")
  }
}
