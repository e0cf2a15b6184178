internal import SyncKit

// What is written is sealed for its place before the storage sees it.

extension EncryptedStorage {
  /// How many contents are sealed at once.
  private static let sealers = 4

  func write(_ content: Content, to path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult {
    try await commit([Change(path: path, content: content, condition: condition)]) { changes throws(SyncError) in
      guard let change = changes.first, let content = change.content else { return [] }
      return [try await storage.write(content, to: change.path, if: change.condition)]
    }[0]
  }

  func remove(_ path: SyncPath, if condition: Condition) async throws(SyncError) -> WriteResult {
    try await commit([Change(path: path, content: nil, condition: condition)]) { changes throws(SyncError) in
      [try await storage.remove(changes[0].path, if: changes[0].condition)]
    }[0]
  }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    try await commit(changes) { changes throws(SyncError) in try await storage.commit(changes) }
  }

  /// Seals what is written, has it carried out, and remembers which versions are there now.
  private func commit(
    _ changes: [Change], _ carryOut: @Sendable ([Change]) async throws(SyncError) -> [WriteResult]
  ) async throws(SyncError) -> [WriteResult] {
    let sealed = try await mapConcurrently(changes, atMost: Self.sealers) { change throws(SyncError) in
      try await prepared(change)
    }
    let ready = sealed.indices.filter { sealed[$0].outcome == nil }
    var results = sealed.map { $0.outcome ?? .failed(Self.notCarriedOut) }
    let outcomes = ready.isEmpty ? [] : try await carryOut(ready.map { sealed[$0].change })
    for (index, outcome) in zip(ready, outcomes) {
      results[index] = outcome.about(changes[index].path, changes[index].content)
      if case .done = outcome, let label = sealed[index].label {
        try await vault.versions.note(label.place, label.number)
      }
    }
    try await vault.versions.flush()
    return results
  }

  private static let notCarriedOut = SyncError(.unexpected, "the change was not made")

  /// A change as the storage shall carry it out, or how it has ended before that.
  private struct Prepared {
    var change: Change
    var label: Label?
    var outcome: WriteResult?
  }

  private func prepared(_ change: Change) async throws(SyncError) -> Prepared {
    do throws(SyncError) {
      return change.path == RootMarker.path ? try await marker(change) : try await sealed(change)
    } catch {
      guard error.reach == .path else { throw error }
      return Prepared(change: change, outcome: .failed(error))
    }
  }

  private func sealed(_ change: Change) async throws(SyncError) -> Prepared {
    let opened = try await vault.keyForWriting()
    let names = SealedNames(opened.key)
    if names.areHidden, let objection = NamingRules().violation(by: change.path) {
      return Prepared(change: change, outcome: .cannot(objection))
    }
    let label = Label(change.path, number: try await number(of: change), withPath: names.areHidden)
    var sealed = change
    sealed.path = try names.sealed(change.path)
    // What is replaced there is sealed, and known by its revision only.
    sealed.replaced = nil
    if let content = change.content {
      let sealer = ContentSealer(cipher: opened.cipher, contents: parts.contents)
      sealed.content = try await sealer.seal(content, as: change.path, label: label.sealed(opened.key))
    }
    return Prepared(change: sealed, label: label)
  }

  /// A removal stands above the version that it removes and above no other: who writes the file again may not have heard of
  /// anything else that we did, and what they write is not older for that.
  private func number(of change: Change) async throws(SyncError) -> UInt64 {
    guard change.content == nil else { return try await vault.versions.next() }
    return try await vault.versions.number(of: change.path) + 1
  }

  private func marker(_ change: Change) async throws(SyncError) -> Prepared {
    var change = change
    change.replaced = nil
    // A marker that holds the key only is none to those who write it.
    if change.condition == .absent, let found = try await vault.read().0, found.text.rest.isEmpty {
      change.condition = .unchanged(found.entry.revision)
    }
    if let content = change.content {
      let rest = try await content.bytes(atMost: RootMarker.maximumSize)
      change.content = Content(try await vault.compose(rest))
    }
    return Prepared(change: change)
  }
}
