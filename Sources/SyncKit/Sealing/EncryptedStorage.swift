/// A storage whose files are sealed: what goes in is sealed for its place, and only what was sealed for its place, and is
/// not older than what was seen there, comes out. Revisions are the storage's own; digests are those of the plain content,
/// which only reading tells.
///
/// The marker stays readable, but for the key of the remote in it.
struct EncryptedStorage: Storage {
  let storage: any Storage
  private let parts: RemoteParts
  private let vault: Vault

  /// How many contents are sealed at once.
  private static let sealers = 4

  init(_ storage: any Storage, _ cipher: any Cipher, _ parts: RemoteParts) {
    self.storage = storage
    self.parts = parts
    vault = Vault(cipher, around: storage, parts)
  }

  var address: String { storage.address }
  var tellsOfWholeFiles: Bool { storage.tellsOfWholeFiles }

  func capabilities() async throws(SyncError) -> Capabilities { try await storage.capabilities() }
  func createRoot() async throws(SyncError) { try await storage.createRoot() }
  func recover() async throws(SyncError) { try await storage.recover() }
  func changes() -> AsyncStream<Void> { storage.changes() }

  func diagnose() async throws(SyncError) -> [Finding] {
    let findings = try await storage.diagnose()
    guard let opened = try await vault.key() else {
      return findings + [Finding(.note, "nothing is sealed there yet; the first pass makes the remote's key")]
    }
    return findings + [
      Finding(.good, "what lies there is sealed with \(opened.cipher.id), and the key at hand opens it")
    ]
  }

  // MARK: Looking

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    let names: SealedNames
    do throws(SyncError) { names = SealedNames(try await vault.key()?.key) } catch {
      // That there is nothing at all, only a listing tells.
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
        builder.add(unread: Unread(entry.path, .failed("it was not put there by a device of this remote")))
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
    // The name is in the file and nowhere else.
    let opening = OpeningSink(opened.cipher, into: HashingSink())
    guard case .read(let entry) = try await storage.read(path, expecting: nil, into: opening),
      let sealed = entry.digest,
      case .success(let file)? = opening.outcome(of: sealed), let label = file.label.flatMap({ Label($0, opened.key) }),
      let name = label.path, try names.sealed(name) == path
    else { return .foreign }
    return .path(name)
  }

  func confirm(_ path: SyncPath) async throws(SyncError) -> Presence {
    try await storage.confirm(SealedNames(vault.key()?.key).sealed(path)).about(path)
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    let names = SealedNames(try await vault.key()?.key)
    let answers = try await storage.confirm(paths.map { path throws(SyncError) in try names.sealed(path) })
    return zip(paths, answers).map { $1.about($0) }
  }

  // MARK: Reading

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

  // MARK: Writing

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

  private static let notCarriedOut = SyncError(.unexpected, "the change was not carried out")

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
    if names.areHidden, let objection = NamingRules().objection(to: change.path) {
      return Prepared(change: change, outcome: .cannot(objection))
    }
    let label = Label(change.path, number: try await vault.versions.next(), withPath: names.areHidden)
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

/// Takes contents in and keeps nothing of them.
private struct HashingSink: ContentSink {
  func receive(
    size: Int, _ body: (any ContentIntake) async throws(SyncError) -> Void
  ) async throws(SyncError) -> (digest: Digest, size: Int) {
    try await body(Nowhere())
    return (.empty, 0)
  }

  private final class Nowhere: ContentIntake {
    func write(_ chunk: [UInt8]) {}
  }
}
