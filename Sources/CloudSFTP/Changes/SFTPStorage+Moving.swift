internal import SFTPWire
internal import SyncKit

extension SFTPStorage {
  /// Makes the moves among `changes`, as far as the server can. The others have no result.
  func move(_ changes: [Change], _ traits: Traits, _ results: inout [WriteResult?]) async throws(SyncError) {
    let renames = changes.renames.filter { traits.naming.violation(by: changes[$0.creation].path) == nil }
    guard traits.isSafe, !renames.isEmpty, let seconds = try await serverTime() else { return }
    try await makeFolders(above: renames.map { changes[$0.creation].path })
    let ends = try await mapConcurrently(renames, atMost: Self.parallelism) { rename throws(SyncError) in
      try await move(changes[rename.removal], to: changes[rename.creation], traits, seconds)
    }
    for (rename, end) in try renames.paired(with: ends, from: address) {
      (results[rename.creation], results[rename.removal]) = (end?.creation, end?.removal)
    }
    try await reach(.moveFinished)
  }

  /// Creates the missing folders of files. Servers refuse to create one that exists.
  private func makeFolders(above paths: [SyncPath]) async throws(SyncError) {
    let folders = Set(paths.flatMap(\.ancestors)).sorted { $0.bytes.count < $1.bytes.count }
    _ = try await server.perform(folders.map { .makeFolder(folder.bytes(of: $0)) })
  }

  private func move(
    _ old: Change, to new: Change, _ traits: Traits, _ seconds: UInt32
  ) async throws(SyncError) -> FileMove.Results? {
    let suffix = beginChange()
    defer { state.end(suffix) }
    guard let move = FileMove(old, new, suffix, on: self, traits, seconds) else { return nil }
    // In one order, so that two moves never wait for each other.
    let names = [old.path.description, new.path.description].sorted()
    do throws(SyncError) {
      return try await state.locks.withLock(names[0]) { () throws(SyncError) in
        try await state.locks.withLock(names[1]) { () throws(SyncError) in try await move.run() }
      }
    } catch {
      guard error.reach == .path else { throw error }
      return FileMove.Results(creation: .unknown(error), removal: .unknown(error))
    }
  }
}
