internal import SyncKit

extension WebDAVStorage {
  func write(_ content: Content, to path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult {
    try await commit([Change(path: path, content: content, condition: condition)])[0]
  }

  func remove(_ path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult {
    try await commit([Change(path: path, content: nil, condition: condition)])[0]
  }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    let traits = try await provenTraits()
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    for group in changes.steps where !group.isEmpty {
      let ends = try await mapConcurrently(group, atMost: server.parallelism) { index throws(SyncError) in
        try await carryOut(changes[index], traits)
      }
      for (index, end) in zip(group, ends) { results[index] = end }
    }
    return results.compactMap(\.self)
  }

  private func carryOut(_ change: Change, _ traits: Traits) async throws(SyncError) -> WriteResult {
    let writing = Writing(
      storage: self, traits: traits, path: change.path, condition: change.condition, replaced: change.replaced)
    do throws(SyncError) {
      return try await writing.run(change.content)
    } catch {
      if error.reachesFurther { throw error }
      return .failed(error)
    }
  }
}
