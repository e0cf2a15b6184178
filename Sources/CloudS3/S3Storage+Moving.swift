internal import CurlHTTP
internal import SyncKit

extension S3Storage {
  /// A move, and the indices of its two changes.
  private struct Planned: Sendable {
    var creation: Int
    var removal: Int
    var intent: MoveIntent
    var content: Content
  }

  /// Makes the moves among `changes`, as far as the server can. The others have no result.
  func move(_ changes: [Change], _ traits: Traits, _ results: inout [WriteResult?]) async throws(SyncError) {
    let planned = Self.plan(changes)
    guard !planned.isEmpty else { return }
    var records: [String: [UInt8]?] = [:]
    for move in planned { records[move.intent.key] = move.intent.record }
    try await state.journal.write(records)
    try await reach(.moveRecorded)
    let ends = try await mapConcurrently(planned, atMost: service.parallelism) { move throws(SyncError) in
      try await end(of: move, traits)
    }
    var closed: [String: [UInt8]?] = [:]
    for (move, end) in try planned.paired(with: ends, from: address) {
      (results[move.creation], results[move.removal]) = (end?.creation, end?.removal)
      if case .unknown? = end?.creation { continue }
      closed.updateValue(nil, forKey: move.intent.key)
    }
    try await reach(.moveFinished)
    try await state.journal.write(closed)
  }

  private static func plan(_ changes: [Change]) -> [Planned] {
    changes.renames.compactMap { rename in
      let (old, new) = (changes[rename.removal], changes[rename.creation])
      guard case .unchanged(let revision) = old.condition, let content = old.replaced else { return nil }
      let intent = MoveIntent(source: old.path, target: new.path, revision: revision, digest: content.digest)
      return Planned(creation: rename.creation, removal: rename.removal, intent: intent, content: content)
    }
  }

  private func end(of move: Planned, _ traits: Traits) async throws(SyncError) -> ObjectMove.Results? {
    do throws(SyncError) {
      return try await ObjectMove(
        files: files, traits: traits, source: move.intent.source, target: move.intent.target, content: move.content,
        revision: move.intent.revision, reach: reach
      ).run()
    } catch {
      guard error.reach == .path else { throw error }
      return ObjectMove.Results(creation: .failed(error), removal: .failed(error))
    }
  }

  /// Removes the copies of files that were changed after a crash had interrupted their moves: the next pass applies the edits under
  /// the new names.
  func recoverMoves() async throws(SyncError) {
    let intents = try await state.journal.records().compactMap { MoveIntent(key: $0.key, record: $0.value) }
      .sorted { $0.target < $1.target }
    guard !intents.isEmpty, let traits = try await state.traits() else { return }
    for intent in intents where try await isResolved(intent, traits) {
      try await state.journal.write([intent.key: nil])
    }
  }

  private func isResolved(_ intent: MoveIntent, _ traits: Traits) async throws(SyncError) -> Bool {
    guard case .file(let old) = try await files.lookUp(intent.source), old.revision != intent.revision,
      case .file(let copy) = try await files.lookUp(intent.target), copy.digest == intent.digest
    else { return true }
    switch try await Removal(files: files, traits: traits, path: intent.target).run(copy.tag, copy.revision) {
    case .done, .refused:
      state.update([(intent.target, nil)])
      return true
    default: return false
    }
  }
}
