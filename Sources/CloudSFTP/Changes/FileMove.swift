internal import SFTPWire
internal import SyncKit

/// A file that gets another name on the host, instead of an upload and a removal.
///
/// Whatever has the old name is moved away and compared with the version that was to be removed. That version gets the new name
/// only if it is free, so nothing is ever overwritten; any other version gets its old name back. A crash in between leaves the
/// version moved away, and the next run gives it its old name again.
struct FileMove: Sendable {
  private let storage: SFTPStorage
  private let placement: Placement
  /// The removal of the file under its old name.
  private let removal: FileChange
  /// The creation of the file under its new name.
  private let creation: FileChange
  /// The content to be moved, and the revision that has it.
  private let content: Content, revision: Revision
  /// The server's time.
  private let seconds: UInt32

  /// The results of the two changes.
  struct Results: Sendable {
    var creation: WriteResult
    var removal: WriteResult
  }

  /// Returns nil if the two changes are not a move.
  init?(
    _ old: Change, _ new: Change, _ suffix: String, on storage: SFTPStorage, _ traits: Traits, _ seconds: UInt32
  ) {
    guard case .unchanged(let revision) = old.condition, let content = old.replaced,
      let removal = FileChange(old, suffix, on: storage, traits),
      let creation = FileChange(new, suffix, on: storage, traits)
    else { return nil }
    self.storage = storage
    placement = Placement(storage: storage, traits: traits)
    (self.removal, self.creation, self.content, self.revision, self.seconds) = (
      removal, creation, content, revision, seconds
    )
  }

  private var server: Server { storage.server }
  private var kept: [UInt8] { storage.folder.bytes(of: removal.kept) }

  /// Moves the file if it has the expected version. Returns nil if the two changes must be made one by one.
  func run() async throws(SyncError) -> Results? {
    guard case .file(_, let facts) = try await storage.lookUp(removal.path), facts.revision == revision else {
      return changed(try await removal.refusal(orIfAbsent: .refused(nil)))
    }
    try await storage.reach(.moving)
    if let result = try await removal.moveAway(revision) {
      // The usual way reports why the server does not move it.
      if case .refused = result { return changed(result) }
      return nil
    }
    try await storage.reach(.movedAway)
    guard try await isExpected(facts) else {
      try await placement.restore(removal.kept, to: removal.path)
      return changed(try await removal.refusal(orIfAbsent: .refused(nil)))
    }
    guard let dated = try await dated(facts),
      try await placement.name(removal.kept, creation.path, dated) == .done
    else { return try await undone() }
    try await storage.reach(.moveNamed)
    return Results(creation: creation.done(dated, content), removal: try await removal.removeKept())
  }

  /// Returns true if the version that was moved away is the expected one. Its size and time are; only if another content could
  /// have the same ones, it is read.
  private func isExpected(_ facts: FileFacts) async throws(SyncError) -> Bool {
    if storage.state.isFirm(facts, at: removal.path) { return true }
    return try await removal.keepsExpectedContent(revision)
  }

  /// Sets the time of the version to the present. A device that knows an older version with the new name could not tell it from
  /// this one if both had the same size and time. Returns nil if the server cannot set it, or if a program that had the file
  /// open has edited it meanwhile, which the new time would hide.
  private func dated(_ facts: FileFacts) async throws(SyncError) -> FileFacts? {
    let replies = try await server.perform([
      .stat(kept), .setAttributes(kept, permissions: nil, seconds: seconds), .stat(kept),
    ])
    guard replies[0].attributes.flatMap({ FileFacts($0) }) == facts,
      let found = replies[2].attributes.flatMap({ FileFacts($0) })
    else { return nil }
    return found.size == facts.size && found.seconds == seconds ? found : nil
  }

  /// The end of a move that the server has not made: the file gets its old name again. If its content is the expected one, the
  /// changes are made one by one; its time may be another one now.
  private func undone() async throws(SyncError) -> Results {
    let isExpected = try await removal.keepsExpectedContent(revision)
    if try await placement.restore(removal.kept, to: removal.path),
      case .file(_, let facts) = try await storage.lookUp(removal.path)
    {
      guard isExpected else { return changed(try await removal.refusal(orIfAbsent: .refused(nil))) }
      return Results(creation: try await creation.run(), removal: try await removal.remove(facts.revision))
    }
    let error = SyncError(
      .pathFailed,
      "cannot rename \(removal.path) to \(creation.path) on \(storage.folder.hostName); the next pass checks both")
    return Results(creation: .unknown(error), removal: .unknown(error))
  }

  private func changed(_ found: WriteResult) -> Results {
    let host = storage.folder.hostName
    return Results(creation: .postponed("\(removal.path) was changed on \(host) meanwhile"), removal: found)
  }
}
