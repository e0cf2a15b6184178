internal import SyncKit

// Reading decrypts a file, and holds it unless a device of the remote wrote this content for this path, and it is not older
// than the last version seen there.

extension EncryptedStorage {
  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    guard let marker = paths.firstIndex(of: RootMarker.path) else { return try await readFiles(paths, into: sink) }
    var files = paths
    files.remove(at: marker)
    var results = try await readFiles(files, into: sink)
    results.insert(try await readMarker(into: sink), at: marker)
    return results
  }

  private func readFiles(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    guard !paths.isEmpty else { return [] }
    var results: [ReadResult] = []
    guard let opened = try await vault.key() else {
      for path in paths { results.append(try await unsealed(path)) }
      return results
    }
    // A version that is written during the read does not make this one outdated.
    var marks: [SealedVersions.Mark] = []
    for path in paths { marks.append(try await vault.versions.mark(of: path)) }
    let decrypting = DecryptingSink(opened.cipher, opened.key, into: sink)
    let names = SealedNames(opened.key)
    let found = try await storage.read(paths.map { path throws(SyncError) in try names.sealed(path) }, into: decrypting)
    for (index, result) in try paths.indices.paired(with: found, from: address) {
      results.append(try await judge(result, at: paths[index], since: marks[index], decrypting))
    }
    try await vault.versions.flush()
    return results
  }

  /// Accepts an authenticated file if it was written for this path and is not older than the last version seen there.
  private func judge(
    _ result: ReadResult, at path: SyncPath, since seen: SealedVersions.Mark, _ decrypting: DecryptingSink
  ) async throws(SyncError) -> ReadResult {
    guard case .read(var entry) = result else { return result }
    guard let encrypted = entry.digest, let outcome = decrypting.result(for: encrypted) else {
      return .failed(SyncError(.unexpected, "the storage returned no entry for \(path), which it read"))
    }
    let file: DecryptedFile
    do throws(SyncError) { file = try outcome.get() } catch { return .failed(suspect(path, error)) }
    guard file.place == Digest(of: path.bytes) else {
      return .failed(suspect(path, "was encrypted for another path, and moved here without the key of the remote"))
    }
    let version = SealedVersions.Mark(file.number, of: file.digest)
    guard seen.permits(version) else {
      let what =
        version.number < seen.number ? "an older version than" : "another version than the one with its number that"
      return .failed(suspect(path, "is \(what) was seen there before"))
    }
    try await vault.versions.record(version, at: file.place)
    entry.path = path
    entry.digest = file.digest
    entry.size = file.size
    return .read(entry)
  }

  /// Handles a remote without a key: an existing file was not encrypted for it.
  private func unsealed(_ path: SyncPath) async throws(SyncError) -> ReadResult {
    switch try await storage.confirm(file: path) {
    case .absent: .absent
    case .postponed(let reason): .postponed(reason)
    case .present, .unknown: .failed(suspect(path, "was there before the remote had a key; ignored"))
    }
  }

  private func suspect(_ path: SyncPath, _ error: SyncError) -> SyncError {
    error.code == .unavailable ? error.about(path) : suspect(path, error.message)
  }

  private func suspect(_ path: SyncPath, _ what: String) -> SyncError {
    SyncError(.suspect, "\(path) in \(address) \(what)")
  }

  private func readMarker(into sink: any ContentSink) async throws(SyncError) -> ReadResult {
    let (marker, result) = try await vault.read()
    // No other layer has written to the marker yet.
    guard let marker, !marker.text.rest.isEmpty else { return marker == nil ? result : .absent }
    var entry = marker.entry
    entry.digest = try await sink.receive(marker.text.rest)
    entry.size = marker.text.rest.count
    return .read(entry)
  }
}
