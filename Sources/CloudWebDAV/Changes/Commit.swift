internal import SyncKit

extension WebDAVStorage {
  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    let traits = try await provenTraits()
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    for (number, group) in changes.steps.enumerated() where !group.isEmpty {
      // The names are free after the first step.
      if number == 1 { for (index, result) in try await rename(changes, traits) { results[index] = result } }
      let together = group.filter { results[$0] == nil }
      for (index, result) in try await createTogether(together, of: changes, traits) { results[index] = result }
      let rest = group.filter { results[$0] == nil }
      let ends = try await mapConcurrently(rest, atMost: server.parallelism) { index throws(SyncError) in
        try await carryOut(changes[index], traits)
      }
      for (index, end) in try rest.paired(with: ends, from: address) { results[index] = end }
    }
    return results.complete
  }

  /// Moves files that get another name, as far as the server keeps both versions whatever happens.
  private func rename(_ changes: [Change], _ traits: Traits) async throws(SyncError) -> [(Int, WriteResult)] {
    guard traits.movesWithoutOverwriting else { return [] }
    let renames = changes.renames
    let seen = try await lookUp(renames.map { changes[$0.removal].path })
    let ends = try await mapConcurrently(renames, atMost: server.parallelism) { rename throws(SyncError) in
      let (source, target) = (changes[rename.removal], changes[rename.creation])
      guard let before = seen[source.path] else { return nil as FileMove.Results? }
      return try await FileMove(of: before, from: writing(source, traits), to: writing(target, traits))?.run()
    }
    return try renames.paired(with: ends, from: address).flatMap { rename, end in
      end.map { [(rename.creation, $0.creation), (rename.removal, $0.removal)] } ?? []
    }
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
