internal import SyncKit

extension DropboxStorage {
  /// The minimum number of files that are sent as a batch.
  private static let worthABatch = 4

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    for (number, group) in changes.steps.enumerated() where !group.isEmpty {
      // The names are free after the first step.
      if number == 1 { try await rename(changes, into: &results) }
      for index in group where results[index] == nil { results[index] = await namingViolation(to: changes[index]) }
      try await carryOut(group.filter { results[$0] == nil }, of: changes, into: &results)
    }
    return results.complete
  }

  private func rename(_ changes: [Change], into results: inout [WriteResult?]) async throws(SyncError) {
    let renames = changes.renames
    let ends = try await MoveBatch(storage: self).run(renames.map { (changes[$0.removal], changes[$0.creation]) })
    for case (let rename, let end?) in zip(renames, ends) {
      results[rename.creation] = end.creation
      results[rename.removal] = end.removal
    }
  }

  private func namingViolation(to change: Change) async -> WriteResult? {
    guard let namingViolation = DropboxFolder.violation(by: change.path) else { return nil }
    return change.content == nil ? .refused(nil) : .cannot(namingViolation)
  }

  /// Carries out changes whose order does not matter: either all writes or all removals.
  private func carryOut(
    _ group: [Int], of changes: [Change], into results: inout [WriteResult?]
  ) async throws(SyncError) {
    let together = group.filter { changes[$0].mayBeBatched }
    var unsure: Set<Int> = []
    if together.count >= Self.worthABatch {
      let batch = together.map { changes[$0] }
      let ends =
        batch[0].content == nil
        ? try await RemovalBatch(storage: self).run(batch) : try await UploadBatch(storage: self).run(batch)
      for (index, end) in try together.paired(with: ends, from: address) {
        switch end {
        case .resolved(let result): results[index] = result
        case .open(let mayBeDone): if mayBeDone { unsure.insert(index) }
        }
      }
    }
    for index in group where results[index] == nil {
      results[index] = try await carryOut(changes[index], mayBeDone: unsure.contains(index))
    }
  }

  private func carryOut(_ change: Change, mayBeDone: Bool) async throws(SyncError) -> WriteResult {
    do throws(SyncError) {
      return change.content == nil
        ? try await Removal(storage: self, change: change, mayBeDone: mayBeDone).run()
        : try await Writing(storage: self, change: change, mayBeDone: mayBeDone).run()
    } catch {
      if error.reach == .pass { throw error }
      return .failed(error)
    }
  }
}

/// The result of a batch for one of its changes.
enum BatchResult: Sendable {
  case resolved(WriteResult)
  /// The change must be made separately; it may have been carried out already, if the answer was lost.
  case open(mayBeDone: Bool)
}

extension Change {
  /// True if a batch can contain the change: neither too large, nor empty, for which upload sessions are not documented to
  /// work.
  fileprivate var mayBeBatched: Bool {
    guard let content else { return expectedRev != nil }
    return content.size > 0 && content.size <= UploadBatch.largestFile && (condition == .absent || expectedRev != nil)
  }

  /// The `rev` that must be in place; nil if no file is expected, or the revision cannot come from Dropbox.
  var expectedRev: String? {
    guard case .unchanged(let revision) = condition else { return nil }
    let isRev = revision.bytes.count >= 9 && revision.bytes.allSatisfy(Set("0123456789abcdef".utf8).contains)
    return isRev ? String(decoding: revision.bytes, as: UTF8.self) : nil
  }
}
