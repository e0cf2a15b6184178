internal import SyncKit

extension BoxStorage {
  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    for (number, step) in changes.steps.enumerated() {
      // The new names are free after the first step.
      if number == 1 { try await move(changes, &results) }
      let rest = step.filter { results[$0] == nil }
      let ends = try await mapConcurrently(rest, atMost: service.parallelism) { index throws(SyncError) in
        try await carryOut(changes[index])
      }
      for (index, end) in try rest.paired(with: ends, from: address) { results[index] = end }
    }
    return results.complete
  }

  /// Makes the moves among `changes`, as far as Box can. The others have no result.
  private func move(_ changes: [Change], _ results: inout [WriteResult?]) async throws(SyncError) {
    let renames = changes.renames
    guard !renames.isEmpty else { return }
    let ends = try await mapConcurrently(renames, atMost: service.parallelism) { rename throws(SyncError) in
      try await carryOut(FileMove(changes[rename.removal], changes[rename.creation], on: self))
    }
    for (rename, end) in try renames.paired(with: ends, from: address) {
      (results[rename.creation], results[rename.removal]) = (end?.creation, end?.removal)
    }
    try await reach(.finished)
  }

  private func carryOut(_ move: FileMove?) async throws(SyncError) -> FileMove.Results? {
    do throws(SyncError) { return try await move?.run() } catch {
      if error.reach == .pass { throw error }
      return FileMove.Results(creation: .unknown(error), removal: .unknown(error))
    }
  }

  private func carryOut(_ change: Change) async throws(SyncError) -> WriteResult {
    if let violation = BoxFolder.violation(by: change.path) {
      return change.content == nil ? .refused(nil) : .cannot(violation)
    }
    do throws(SyncError) {
      guard let content = change.content else { return try await Removal(storage: self, change: change).run() }
      return try await Writing(storage: self, change: change, content: content).run()
    } catch {
      if error.reach == .pass { throw error }
      return .failed(error)
    }
  }

  /// Looks a path up and returns what is there, as the result of a refused change.
  func refusal(of change: Change) async throws(SyncError) -> WriteResult {
    switch try await lookup.find(change.path) {
    case .file(let item): return .refused(item.version.map { Self.entry(of: $0, at: change.path) })
    case .other, .spelledOtherwise, .absent: return .refused(nil)
    case .unclear(let error): return .unknown(error)
    }
  }
}
