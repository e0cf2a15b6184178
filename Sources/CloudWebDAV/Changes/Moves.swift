internal import SyncKit

extension FileWrite {
  /// Replaces a file without ever overwriting one: the old version is moved away and looked at, then the new one is moved
  /// to the free name. What is where is in the journal first, so that a crash in between is undone.
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

  /// Does `work` while the expected version is out of the way; it comes back unless that succeeded.
  private func withMovedAway(
    _ revision: Revision, _ work: () async throws(SyncError) -> WriteResult
  ) async throws(SyncError) -> WriteResult {
    guard case .success(let observation) = try await observation(), try await isExpected(observation, revision) else {
      return try await refusal()
    }
    guard let kept = PreviousVersionName.beside(path, device: storage.device, server.runtime) else {
      return .cannot("the name is too long for a temporary name beside \(path)")
    }
    state.use(kept)
    defer { state.release(kept) }
    let intent = MoveIntent(path: path, kept: kept)
    try await state.write([intent.key: intent.record])
    let away = try await server.move(url, to: server.address.file(kept), overwriting: false)
    guard away.isGood else { return try await undone(intent, away) }
    guard try await isExpectedVersion(at: kept, revision) else {
      try await storage.resolve(intent)
      return try await refusal()
    }
    let result = try await work()
    guard case .done = result else {
      try await storage.resolve(intent)
      return result
    }
    _ = try await server.delete(server.address.file(kept))
    try await state.write([intent.key: nil])
    return result
  }

  /// Returns true if what was moved away is what was expected. Its tag goes with it on every server that was measured; where there
  /// is none the content decides.
  private func isExpectedVersion(at kept: SyncPath, _ revision: Revision) async throws(SyncError) -> Bool {
    if let replaced { return try await holds(replaced, at: kept) }
    guard case .there(let observation) = try await server.lookUp(kept) else { return false }
    return observation.facts.revision == revision
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

/// That a version, or an empty folder, is or was about to be out of its place.
struct MoveIntent: Sendable {
  var path: SyncPath
  /// Where it is kept meanwhile.
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

  /// The intent in a record; nil for records of another kind.
  init?(key: String, record: [UInt8]) {
    let parts = record.split(separator: 0, omittingEmptySubsequences: false)
    guard key.hasPrefix(Self.prefix), parts.count == 3, let path = SyncPath(bytes: Array(parts[1])),
      let kept = SyncPath(bytes: Array(parts[2]))
    else { return nil }
    self.init(path: path, kept: kept, isFolder: parts[0].first == Self.folderMark)
  }
}

extension WebDAVStorage {
  /// Brings back what a crash left out of its place.
  func recoverMoves() async throws(SyncError) {
    for (key, record) in try await state.records() {
      if let intent = MoveIntent(key: key, record: record) { try await resolve(intent) }
    }
  }

  /// Brings what was moved away back to its name, as far as it is worth it, and closes the intent.
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
      _ = try await server.move(kept, to: server.address.folder(intent.path), overwriting: false)
    }
  }

  /// If another version is in the place by now, the kept one is stored in the history and removed: this device replaced it, and
  /// no other may have it.
  private func resolveVersion(_ intent: MoveIntent) async throws(SyncError) {
    let kept = server.address.file(intent.kept)
    _ = try await server.move(kept, to: server.address.file(intent.path), overwriting: false)
    guard case .there = try await server.lookUp(intent.kept) else { return }
    let result = try await readAlone(intent.kept, into: history.intake(keepingAtMost: .max))
    guard case .read = result else { return }
    try await history.flush()
    guard case .there = try await server.lookUp(intent.path) else { return }
    _ = try await server.delete(kept)
  }
}
