internal import HTTPStorage
internal import SyncKit

extension FileWrite {
  /// Replaces a file without ever overwriting one, whichever way other writers use: moves the old version away and checks it,
  /// then moves the new one to the free name. The journal records both moves first, so that a crash in between is undone.
  func replaceByMoves(_ content: Content, _ revision: Revision) async throws(SyncError) -> WriteResult {
    try await withUpload(of: content) { upload throws(SyncError) in
      try await withMovedAway(revision) { () throws(SyncError) in
        try await moveIn(upload, content, overwriting: false, if: .none)
      }
    }
  }

  func removeByMoves(_ revision: Revision) async throws(SyncError) -> WriteResult {
    try await withMovedAway(revision) { .done(nil) }
  }

  private typealias Work = @Sendable () async throws(SyncError) -> WriteResult

  /// Runs `work` while the expected version is moved away; moves it back unless that succeeded. A cancelled task completes it:
  /// the file must not stay without its name.
  private func withMovedAway(
    _ revision: Revision, _ work: @escaping Work
  ) async throws(SyncError) -> WriteResult {
    guard case .success(let observation) = try await observation(), try await isExpected(observation, revision) else {
      return try await refusal()
    }
    guard let kept = PreviousVersionName.beside(path, device: storage.device, server.runtime) else {
      return .cannot("the name is too long for a temporary name beside \(path)")
    }
    state.use(kept)
    defer { state.release(kept) }
    let result = await Task { () async -> Result<WriteResult, SyncError> in
      do throws(SyncError) { return .success(try await moveAway(to: kept, revision, work)) } catch {
        return .failure(error)
      }
    }.value
    return try result.get()
  }

  private func moveAway(
    to kept: SyncPath, _ revision: Revision, _ work: Work
  ) async throws(SyncError) -> WriteResult {
    let intent = MoveIntent(path: path, kept: kept)
    try await state.write([intent.key: intent.record])
    let away = try await server.move(url, to: server.address.file(kept), overwriting: false)
    guard away.isGood else { return try await undone(intent, away) }
    guard try await isExpectedVersion(at: kept, revision) else {
      try await storage.resolve(intent)
      return try await refusal()
    }
    let result = try await work()
    guard case .done(let entry) = result else {
      try await storage.resolve(intent)
      return result
    }
    // Another program may have had the file open and have written to it since.
    guard try await isExpectedVersion(at: kept, revision) else {
      guard entry == nil else {
        // The name has the new version. If another client has moved that away for a moment, the old one must not take its place.
        try await storage.retire(intent)
        return result
      }
      try await storage.resolve(intent)
      return try await refusal()
    }
    // No other client knows the name, so a repeated request is harmless.
    let deletion = try await server.deleteUpload(server.address.file(kept))
    if entry == nil, !deletion.isGood, deletion.status != 404 { return try await undeleted(intent, deletion) }
    try await state.write([intent.key: nil])
    return result
  }

  /// Returns the result of a removal whose last step failed. The version comes back to its name and is not called removed: recovery
  /// would give it the name back later, when no one expects it.
  private func undeleted(_ intent: MoveIntent, _ outcome: Outcome) async throws(SyncError) -> WriteResult {
    let error =
      switch outcome {
      case .answered(let answer): server.syncError(answer.status, "DELETE", intent.kept)
      case .notSent(let error), .lost(let error): error
      }
    try await storage.resolve(intent)
    guard case .absent = try await server.lookUp(intent.kept) else { return .unknown(error) }
    return try await gone(error)
  }

  /// Returns true if the moved version is the expected one. Its tag moves with it on every measured server; if the tag proves
  /// nothing, the content decides.
  private func isExpectedVersion(at kept: SyncPath, _ revision: Revision) async throws(SyncError) -> Bool {
    guard case .there(let observation) = try await server.lookUp(kept) else { return false }
    if observation.facts.revision == revision, observation.entry(at: kept, traits).isFirm { return true }
    guard let replaced else { return observation.facts.revision == revision }
    return try await holds(replaced, at: kept)
  }

  private func undone(_ intent: MoveIntent, _ outcome: Outcome) async throws(SyncError) -> WriteResult {
    try await storage.resolve(intent)
    return switch outcome {
    case .answered(let answer): try await refused(answer.status, "MOVE")
    case .notSent(let error): .failed(error)
    case .lost(let error): .unknown(error)
    }
  }
}

/// The journal record of a version, or an empty folder, that is or is about to be moved away.
struct MoveIntent: Sendable {
  var path: SyncPath
  /// The path to which it is moved.
  var kept: SyncPath
  var isFolder = false

  private static let prefix = "webdav.moved "
  private static let folderMark: UInt8 = 0x2F

  var key: String { Self.prefix + kept.description }
  var record: [UInt8] { (isFolder ? [Self.folderMark] : []) + [0] + path.bytes + [0] + kept.bytes }

  init(path: SyncPath, kept: SyncPath, isFolder: Bool = false) {
    self.path = path
    self.kept = kept
    self.isFolder = isFolder
  }

  /// Decodes a record; returns nil for other records.
  init?(key: String, record: [UInt8]) {
    let parts = record.split(separator: 0, omittingEmptySubsequences: false)
    guard key.hasPrefix(Self.prefix), parts.count == 3, let path = SyncPath(bytes: Array(parts[1])),
      let kept = SyncPath(bytes: Array(parts[2]))
    else { return nil }
    self.init(path: path, kept: kept, isFolder: parts[0].first == Self.folderMark)
  }
}

extension WebDAVStorage {
  /// Moves files back that a crash left moved away.
  func recoverMoves() async throws(SyncError) {
    for (key, record) in try await state.records() {
      if let intent = MoveIntent(key: key, record: record) { try await resolve(intent) }
    }
  }

  /// Moves an item back to its name, if that is still useful, and closes the intent.
  func resolve(_ intent: MoveIntent) async throws(SyncError) {
    if intent.isFolder { try await resolveFolder(intent) } else { try await resolveVersion(intent) }
    if case .absent = try await server.lookUp(intent.kept) { try await state.write([intent.key: nil]) }
  }

  private func resolveFolder(_ intent: MoveIntent) async throws(SyncError) {
    guard case .there = try await server.lookUp(intent.kept) else { return }
    let kept = server.address.folder(intent.kept)
    if try await isEmpty(intent.kept) {
      _ = try await server.delete(kept)
    } else {
      try await moveBack(kept, to: server.address.folder(intent.path))
    }
  }

  /// Moves a version back; if another version is in place by now, stores the moved one in the history and removes it, because
  /// this device replaced it and may have the only copy.
  private func resolveVersion(_ intent: MoveIntent) async throws(SyncError) {
    try await moveBack(server.address.file(intent.kept), to: server.address.file(intent.path))
    try await retireVersion(intent)
  }

  /// Closes the intent of a version that was replaced, and that another program may have written to since.
  func retire(_ intent: MoveIntent) async throws(SyncError) {
    try await retireVersion(intent)
    if case .absent = try await server.lookUp(intent.kept) { try await state.write([intent.key: nil]) }
  }

  /// Stores a moved version in the history, and removes it if another version is in place.
  private func retireVersion(_ intent: MoveIntent) async throws(SyncError) {
    guard case .there = try await server.lookUp(intent.kept) else { return }
    let result = try await readAlone(intent.kept, into: history.intake(keepingAtMost: .max))
    guard case .read(let entry) = result, let digest = entry.digest else { return }
    try await history.keep([Version(remote: remote, path: intent.path, digest: digest, side: .remote)])
    guard case .there = try await server.lookUp(intent.path) else { return }
    _ = try await server.delete(server.address.file(intent.kept))
  }

  /// Gives an item its name back, unless something has the name. A brief refusal is not the end: without its name the file is
  /// missing for all devices until this one's next run.
  func moveBack(_ url: String, to target: String) async throws(SyncError) {
    _ = try await server.repeating(after: Server.briefRefusals, attempts: 8) { () throws(SyncError) in
      try await server.move(url, to: target, overwriting: false)
    }
  }
}
