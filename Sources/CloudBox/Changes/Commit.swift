internal import SyncKit

extension BoxStorage {
  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    for step in changes.steps {
      let ends = try await mapConcurrently(step, atMost: service.parallelism) { index throws(SyncError) in
        try await carryOut(changes[index])
      }
      for (index, end) in try step.paired(with: ends, from: address) { results[index] = end }
    }
    return results.complete
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
