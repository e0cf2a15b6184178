internal import HTTPStorage
internal import SyncKit

/// A file that gets another name by one MOVE, instead of an upload and a removal.
///
/// MOVE has no condition that servers check, but it overwrites nothing: whichever version it moves exists afterwards. A version
/// that was not to be moved is moved back. A crash in between leaves it under the new name, where the next pass finds it.
struct FileMove: Sendable {
  let source: FileWrite
  let target: FileWrite
  /// The version that was seen under the old name.
  private let before: Observation
  /// The content to be moved, and the revision that has it.
  private let content: Content
  private let revision: Revision

  /// The results of the two changes.
  typealias Results = (creation: WriteResult, removal: WriteResult)

  /// Returns nil if the two changes are not a move.
  init?(of before: Observation, from source: FileWrite, to target: FileWrite) {
    guard let content = source.replaced, case .unchanged(let revision) = source.condition else { return nil }
    self.before = before
    self.source = source
    self.target = target
    self.content = content
    self.revision = revision
  }

  private var server: Server { source.server }

  /// Moves the file if it has the expected version. Nil if the two changes must be made one by one. A version that another one
  /// has written meanwhile keeps its name, and the new name stays free: the next pass applies the edit under the new name.
  func run() async throws(SyncError) -> Results? {
    let altered = try await source.state.alteredNames()
    guard source.namingViolation == nil, target.namingViolation == nil,
      ([source.path, target.path] + target.path.ancestors).allSatisfy({ !altered.contains($0) })
    else { return nil }
    // In one order, so that two moves never wait for each other.
    let names = [source.path.description, target.path.description].sorted()
    return try await source.state.locks.withLock(names[0]) { () throws(SyncError) in
      try await source.state.locks.withLock(names[1]) { () throws(SyncError) in
        guard !before.facts.isFolder else { return nil }
        guard try await source.isExpected(before, revision) else { return changed(before) }
        return try await completing { () throws(SyncError) in try await move() }
      }
    }
  }

  /// Completes `work` even if the task is cancelled: another version must not stay under the new name.
  private func completing(
    _ work: @escaping @Sendable () async throws(SyncError) -> Results?
  ) async throws(SyncError) -> Results? {
    let result = await Task { () async -> Result<Results?, SyncError> in
      do throws(SyncError) { return .success(try await work()) } catch { return .failure(error) }
    }.value
    return try result.get()
  }

  private func move() async throws(SyncError) -> Results? {
    let outcome = try await target.withParents(missing: [409]) { () throws(SyncError) in
      try await server.repeating(after: Server.briefRefusals) { () throws(SyncError) in
        try await server.move(source.url, to: target.url, overwriting: false)
      }
    }
    switch outcome {
    case .answered(let answer) where answer.isGood: return try await checked()
    case .answered, .notSent: return nil
    case .lost(let error): return (.unknown(error), .unknown(error))
    }
  }

  /// Checks what the server has moved.
  private func checked() async throws(SyncError) -> Results? {
    let result = try await target.resolved(content, by: Evidence(tag: Facts.tag(in: revision)?.quoted))
    if case .cannot = result { return (result, try await source.gone(nil)) }
    if case .done(let entry?) = result, try await isMoved(entry) { return (result, try await source.gone(nil)) }
    return try await movedBack(result)
  }

  /// Returns true if the new name has the expected version. Its tag moves with it on every measured server; if the tag proves
  /// nothing, the content decides.
  private func isMoved(_ entry: Entry) async throws(SyncError) -> Bool {
    if entry.isFirm { return true }
    return try await target.holds(content, at: target.path)
  }

  /// Gives another version its name back.
  private func movedBack(_ result: WriteResult) async throws(SyncError) -> Results? {
    let url = try await placeOfMoved()
    if let url { try await source.storage.moveBack(url, to: source.url) }
    if case .success(let found?) = try await source.observation() {
      return try await source.isExpected(found, revision) ? nil : changed(found)
    }
    let error = SyncError(
      .pathFailed, "the server reported that it moved \(source.path) to \(target.path), but has another file there")
    return (.unknown(error), .unknown(error))
  }

  private func changed(_ found: Observation) -> Results {
    (.postponed("\(source.path) was changed on the server meanwhile"), source.refusal(found))
  }

  /// Returns the address of the file that was moved; nil if there is none. If a folder has the new name, lighttpd moves the file
  /// into the folder.
  private func placeOfMoved() async throws(SyncError) -> String? {
    guard case .success(let found?) = try await target.observation() else { return nil }
    guard found.facts.isFolder else { return target.url }
    return target.path.appending(Array(source.path.name)).map(server.address.file)
  }
}
