internal import SyncKit

// What is read is opened, and held unless it was sealed for its very place and is not older than what was seen there.

extension EncryptedStorage {
  func read(
    _ path: SyncPath, expecting expected: Revision?, into sink: any ContentSink
  ) async throws(SyncError) -> ReadResult {
    guard path != RootMarker.path else { return try await readMarker(expecting: expected, into: sink) }
    return try await read([path], into: sink) { paths, opening throws(SyncError) in
      [try await storage.read(paths[0], expecting: expected, into: opening)]
    }[0]
  }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await read(paths, into: sink) { paths, opening throws(SyncError) in
      try await storage.read(paths, into: opening)
    }
  }

  private func read(
    _ paths: [SyncPath], into sink: any ContentSink,
    _ work: ([SyncPath], any ContentSink) async throws(SyncError) -> [ReadResult]
  ) async throws(SyncError) -> [ReadResult] {
    var results: [ReadResult] = []
    guard let opened = try await vault.key() else {
      for path in paths { results.append(try await unsealed(path)) }
      return results
    }
    // What is written while it is read makes nothing older.
    var numbers: [UInt64] = []
    for path in paths { numbers.append(try await vault.versions.number(of: path)) }
    let opening = OpeningSink(opened.cipher, into: sink)
    let names = SealedNames(opened.key)
    let found = try await work(paths.map { path throws(SyncError) in try names.sealed(path) }, opening)
    for (index, result) in found.enumerated() {
      let number = numbers[index]
      results.append(try await judge(result, at: paths[index], since: number, opening, opened.key))
    }
    try await vault.versions.flush()
    return results
  }

  /// What a file that was read is worth: it has to be whole, sealed for its place, and no older than what was seen there.
  private func judge(
    _ result: ReadResult, at path: SyncPath, since number: UInt64, _ opening: OpeningSink, _ key: RemoteKey
  ) async throws(SyncError) -> ReadResult {
    guard case .read(var entry) = result else { return result }
    guard let sealed = entry.digest, let outcome = opening.outcome(of: sealed) else {
      return .failed(SyncError(.unexpected, "\(path) was read, and the storage did not say what it read"))
    }
    let file: OpeningSink.Opened
    do throws(SyncError) { file = try outcome.get() } catch { return .failed(suspect(path, error)) }
    guard let label = file.label.flatMap({ Label($0, key) }) else {
      return .failed(suspect(path, "was not sealed by a device of this remote"))
    }
    guard label.place == Digest(of: path.bytes) else {
      return .failed(suspect(path, "was sealed for another place, and was put here by somebody else"))
    }
    guard label.number >= number else {
      return .failed(suspect(path, "is an older version than was seen there before"))
    }
    try await vault.versions.note(label.place, label.number)
    entry.path = path
    entry.digest = file.digest
    entry.size = file.size
    return .read(entry)
  }

  /// What is there before anybody has made a key for the remote cannot have been sealed for it.
  private func unsealed(_ path: SyncPath) async throws(SyncError) -> ReadResult {
    switch try await storage.confirm(path) {
    case .absent: .absent
    case .postponed(let reason): .postponed(reason)
    case .present, .unknown: .failed(suspect(path, "was there before anything was sealed; it is left alone"))
    }
  }

  private func suspect(_ path: SyncPath, _ error: SyncError) -> SyncError {
    error.code == .unavailable ? error.about(path) : suspect(path, error.message)
  }

  private func suspect(_ path: SyncPath, _ what: String) -> SyncError {
    SyncError(.suspect, "\(path) in \(address) \(what)")
  }

  private func readMarker(expecting expected: Revision?, into sink: any ContentSink) async throws(SyncError)
    -> ReadResult
  {
    let (marker, result) = try await vault.read()
    // Nobody else has written to the marker yet.
    guard let marker, !marker.text.rest.isEmpty else { return marker == nil ? result : .absent }
    guard expected == nil || expected == marker.entry.revision else {
      return .postponed("another version of \(RootMarker.path) is there than was expected")
    }
    var entry = marker.entry
    entry.digest = try await sink.receive(marker.text.rest)
    entry.size = marker.text.rest.count
    return .read(entry)
  }
}
