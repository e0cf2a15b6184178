internal import SyncKit

// Listing maps every file to its plain name.

extension EncryptedStorage {
  func list(since known: Known) async throws(SyncError) -> Snapshot {
    let names: SealedNames
    do throws(SyncError) { names = SealedNames(try await vault.key()?.key) } catch {
      // Only a listing shows if the storage is missing altogether.
      _ = try await storage.list(since: Known())
      throw error
    }
    guard names.areHidden else { return try await storage.list(since: known).withoutDigests() }
    let (sealed, paths) = try known.sealed(names)
    let listing = try await storage.list(since: sealed)
    var builder = SnapshotBuilder(since: known)
    for entry in listing.entries {
      var entry = entry
      entry.digest = nil
      switch try await reading(of: entry.path, names, paths) {
      case .path(let path):
        entry.path = path
        builder.add(entry)
      case .shortened, .foreign:
        guard known.filter.accepts(entry.path) else { continue }
        builder.add(unread: Unread(entry.path, .failed("no device of this remote put it there")))
      }
    }
    for part in listing.unread { builder.add(unread: Unread(paths[part.path] ?? part.path, part.reason)) }
    return builder.finish(
      root: listing.root, naming: NamingRules(), isComplete: listing.isComplete, wentBackwards: listing.wentBackwards,
      cursor: listing.cursor)
  }

  private func reading(
    of path: SyncPath, _ names: SealedNames, _ known: [SyncPath: SyncPath]
  ) async throws(SyncError) -> HiddenNames.Reading {
    if let path = known[path] { return .path(path) }
    let reading = names.reading(of: path)
    guard reading == .shortened, let opened = try await vault.key() else { return reading }
    // The name is only inside the file.
    let decrypting = DecryptingSink(opened.cipher, opened.key, into: NullSink())
    guard case .read(let entry) = try await storage.read(file: path, into: decrypting),
      let encrypted = entry.digest, case .success(let file)? = decrypting.result(for: encrypted),
      let name = file.path, try names.sealed(name) == path
    else { return .foreign }
    return .path(name)
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    let names = SealedNames(try await vault.key()?.key)
    let results = try await storage.confirm(paths.map { path throws(SyncError) in try names.sealed(path) })
    return try paths.paired(with: results, from: address).map { path, result in result.about(path) }
  }
}

/// A sink that discards contents.
private struct NullSink: ContentSink {
  func receive(
    size: Int, _ body: (any ContentIntake) async throws(SyncError) -> Void
  ) async throws(SyncError) -> (digest: Digest, size: Int) {
    try await body(NullIntake())
    return (.empty, 0)
  }

  private final class NullIntake: ContentIntake {
    func write(_ chunk: [UInt8]) {}
  }
}
