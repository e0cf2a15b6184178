internal import SyncKit

// Writing encrypts a content for its path before the storage receives it.

extension EncryptedStorage {
  /// The maximum number of concurrent encryptions.
  private static let parallelism = 4

  /// Encrypts the written contents, passes the changes to the storage, and records the new versions.
  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    let sealed = try await mapConcurrently(changes, atMost: Self.parallelism) { change throws(SyncError) in
      try await prepared(change)
    }
    let ready = sealed.indices.filter { sealed[$0].outcome == nil }
    var results = sealed.map(\.outcome)
    let outcomes = ready.isEmpty ? [] : try await storage.commit(ready.map { sealed[$0].change })
    for (index, outcome) in try ready.paired(with: outcomes, from: address) {
      results[index] = outcome.about(changes[index].path, changes[index].content)
      if case .done = outcome, let version = sealed[index].version {
        try await vault.versions.record(version, at: Digest(of: changes[index].path.bytes))
      }
    }
    try await vault.versions.flush()
    return results.complete
  }

  /// A change for the storage, or its result if it failed before that.
  private struct Prepared {
    var change: Change
    var version: SealedVersions.Mark?
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
    let number = try await number(of: change)
    var sealed = change
    sealed.path = try names.sealed(change.path)
    // The content to replace is encrypted there, and known only by its revision.
    sealed.replaced = nil
    if let content = change.content {
      let label = Label(change.path, number: number, content: content, withPath: names.areHidden)
      let encryption = ContentEncryption(cipher: opened.cipher, contents: parts.contents)
      sealed.content = try await encryption.encrypt(content, as: change.path, label: label.sealed(opened.key))
    }
    return Prepared(change: sealed, version: SealedVersions.Mark(number, of: change.content?.digest))
  }

  /// The version number of a change. A removal is numbered just above the version that it removes: a device that writes the
  /// file again may not know of this device's other writes, and its version must not count as older for that.
  private func number(of change: Change) async throws(SyncError) -> UInt64 {
    guard change.content == nil else { return try await vault.versions.next() }
    return try await vault.versions.mark(of: change.path).number + 1
  }

  private func marker(_ change: Change) async throws(SyncError) -> Prepared {
    var change = change
    change.replaced = nil
    // Other layers do not see a marker that contains only the key.
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
