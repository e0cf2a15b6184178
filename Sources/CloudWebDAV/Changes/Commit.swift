internal import SyncKit

extension WebDAVStorage {
  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    let traits = try await provenTraits()
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    for group in changes.steps where !group.isEmpty {
      for (index, result) in try await createTogether(group, of: changes, traits) { results[index] = result }
      let rest = group.filter { results[$0] == nil }
      let ends = try await mapConcurrently(rest, atMost: server.parallelism) { index throws(SyncError) in
        try await carryOut(changes[index], traits)
      }
      for (index, end) in try rest.paired(with: ends, from: address) { results[index] = end }
    }
    return results.complete
  }

  /// Creates the new files of a group together, as far as no error occurs.
  private func createTogether(
    _ group: [Int], of changes: [Change], _ traits: Traits
  ) async throws(SyncError) -> [(Int, WriteResult)] {
    var new: [(index: Int, writing: FileWrite, content: Content)] = []
    for index in group {
      guard let content = changes[index].content, changes[index].condition == .absent else { continue }
      let writing = writing(changes[index], traits)
      if writing.namingViolation == nil { new.append((index, writing, content)) }
    }
    guard new.count > 1, traits.createsDirectly || traits.movesWithoutOverwriting else { return [] }
    let batch = BatchCreation(storage: self, traits: traits, writings: new.map { ($0.writing, $0.content) })
    return try new.paired(with: await batch.run(), from: address).compactMap { item, result in
      result.map { (item.index, $0) }
    }
  }

  private func writing(_ change: Change, _ traits: Traits) -> FileWrite {
    FileWrite(storage: self, traits: traits, path: change.path, condition: change.condition, replaced: change.replaced)
  }

  private func carryOut(_ change: Change, _ traits: Traits) async throws(SyncError) -> WriteResult {
    do throws(SyncError) {
      return try await writing(change, traits).run(change.content)
    } catch {
      if error.reach == .pass { throw error }
      return .failed(error)
    }
  }
}
