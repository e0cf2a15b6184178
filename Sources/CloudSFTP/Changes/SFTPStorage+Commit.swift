internal import SFTPWire
internal import SyncKit

extension SFTPStorage {
  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    guard !changes.isEmpty else { return [] }
    let traits: Traits
    do throws(SyncError) { traits = try await provenTraits() } catch {
      guard error.reach == .path else { throw error }
      return changes.map { _ in .failed(error) }
    }
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    for (number, step) in changes.steps.enumerated() {
      // The new names are free after the first step.
      if number == 1 { try await move(changes, traits, &results) }
      let rest = step.filter { results[$0] == nil }
      let ends = try await mapConcurrently(rest, atMost: Self.parallelism) { index throws(SyncError) in
        try await carryOut(changes[index], traits)
      }
      for (index, end) in try rest.paired(with: ends, from: address) { results[index] = end }
    }
    return results.complete
  }

  private func carryOut(_ change: Change, _ traits: Traits) async throws(SyncError) -> WriteResult {
    if let violation = traits.naming.violation(by: change.path) { return .cannot(violation) }
    do throws(SyncError) {
      // Several changes of one path by this handle would only refuse each other.
      return try await state.locks.withLock(change.path.description) { () throws(SyncError) in
        let suffix = beginChange()
        defer { state.end(suffix) }
        guard let one = FileChange(change, suffix, on: self, traits) else {
          return .cannot("the name is too long for this replica")
        }
        return try await one.run()
      }
    } catch {
      guard error.reach == .path else { throw error }
      return .failed(error)
    }
  }
}
