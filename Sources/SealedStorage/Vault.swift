internal import SyncKit

/// The key of one encrypted remote. The first pass creates it; every later pass reads it from the marker, and rejects a key
/// other than the one that this device knows.
actor Vault {
  private let cipher: any Cipher
  private let storage: any Storage
  private let parts: RemoteParts
  private let onFirstKey: @Sendable (String) -> Void
  private var opened: Opened?
  nonisolated let versions: SealedVersions

  /// The remote's key, and the cipher for its files.
  struct Opened: Sendable {
    var key: RemoteKey
    var cipher: any Cipher
    fileprivate var seal: SealedMarker.Seal
  }

  /// A marker with its entry.
  struct Marker: Sendable {
    var text: SealedMarker
    var entry: Entry
  }

  init(
    _ cipher: any Cipher, around storage: any Storage, _ parts: RemoteParts,
    onFirstKey: @escaping @Sendable (String) -> Void
  ) {
    self.cipher = cipher
    self.storage = storage
    self.parts = parts
    self.onFirstKey = onFirstKey
    versions = SealedVersions(journal: parts.journal)
  }

  /// Returns the key, or nil if no device has created one. Reads the marker once.
  func key() async throws(SyncError) -> Opened? {
    if opened == nil { try await requireNoObstacle(read().1) }
    return opened
  }

  /// Throws if the marker cannot be read, which does not mean that it is missing.
  private func requireNoObstacle(_ result: ReadResult) throws(SyncError) {
    switch result {
    case .read, .absent: break
    case .postponed(let reason):
      throw SyncError(.unavailable, "the marker of \(storage.address) cannot be read now: \(reason)")
    case .failed(let error): throw error
    }
  }

  /// Returns the key; creates one if no device has.
  func keyForWriting() async throws(SyncError) -> Opened {
    if let opened = try await key() { return opened }
    let marker = try await compose([])
    let result = try await storage.write(Content(marker), to: RootMarker.path, if: .absent)
    // Another device may have been faster; then its key is the remote's.
    opened = nil
    if let opened = try await key() { return opened }
    if case .failed(let error) = result { throw error }
    throw SyncError(.unavailable, "the marker \(ReservedName.marker) could not be written to \(storage.address)")
  }

  /// Reads the marker, and decrypts the key in it; nil without a marker. Throws if it is not the key of this remote, or
  /// cannot be decrypted.
  func read() async throws(SyncError) -> (Marker?, ReadResult) {
    let sink = MemorySink(limit: RootMarker.maximumSize)
    let result = try await storage.read(file: RootMarker.path, into: sink)
    guard case .read(let entry) = result else { return (nil, result) }
    let text = SealedMarker(sink.bytes)
    try await open(text)
    return (Marker(text: text, entry: entry), result)
  }

  /// Returns a marker with the lines `rest` of other layers and with the key, which is created if there is none.
  func compose(_ rest: [UInt8]) async throws(SyncError) -> [UInt8] {
    let opened: Opened
    if let known = self.opened { opened = known } else { opened = try await make() }
    let clock = try await SmallBox.seal(versions.last().bigEndianBytes, opened.key.derived(for: "clock"))
    return SealedMarker(rest: rest, seal: opened.seal, clock: clock).bytes
  }

  private func make() async throws(SyncError) -> Opened {
    // A remote whose marker is missing is not a new one.
    guard try await SealRecord(in: parts.journal) == nil,
      try await SealRecord.expectedFingerprint(in: parts.journal) == nil
    else { throw hasLostItsKey }
    let key = RemoteKey(bytes: parts.runtime.random(RemoteKey.size), hidesNames: cipher.hidesNames)
    let sealed = try await cipher.encrypt(key.text(note: cipher.note(for: key.bytes)), as: RootMarker.path)
    let seal = SealedMarker.Seal(cipher: cipher.id, key: sealed)
    return Opened(key: key, cipher: try cipher.keyed(by: key.bytes), seal: seal)
  }

  private func open(_ marker: SealedMarker) async throws(SyncError) {
    guard let seal = marker.seal else { throw isReadable }
    if opened?.seal != seal {
      guard seal.cipher == cipher.id else { throw isEncrypted(with: seal.cipher) }
      let key = try await key(in: seal)
      try await recognise(key)
      guard key.format == .current else { throw hasFormerFormat }
      guard key.hidesNames == cipher.hidesNames else { throw hasOtherNames(key) }
      try await remember(key)
      opened = Opened(key: key, cipher: try cipher.keyed(by: key.bytes), seal: seal)
    }
    guard let opened, let clock = marker.clock,
      let number = SmallBox.open(clock, opened.key.derived(for: "clock"))
    else { return }
    await versions.advance(to: UInt64(bigEndianBytes: number))
  }

  private func key(in seal: SealedMarker.Seal) async throws(SyncError) -> RemoteKey {
    do throws(SyncError) {
      if let key = RemoteKey(try await cipher.decrypt(seal.key, as: RootMarker.path)) { return key }
    } catch  where error.code != .unavailable {
      throw SyncError(
        .unauthorized, "the key in the settings does not decrypt the remote \(parts.name) at \(storage.address)",
        cause: error.message)
    }
    throw SyncError(.unauthorized, "the marker of \(storage.address) contains no key of syncd")
  }

  /// Throws if the key differs from the known one: only a user may change it, because an attacker could have replaced it.
  private func recognise(_ key: RemoteKey) async throws(SyncError) {
    guard let known = try await SealRecord(in: parts.journal) else {
      let expected = try await SealRecord.expectedFingerprint(in: parts.journal)
      guard expected.map(key.digest.hasFingerprint) ?? true else {
        throw SyncError.isUnexpected(key, expected ?? "", parts.name, storage.address)
      }
      return
    }
    guard known.key == key.digest else { throw SyncError.isAnotherKey(key, than: known, parts.name, storage.address) }
    guard key.format >= (try await SealRecord.lowestFormat(in: parts.journal)) else {
      throw SyncError.isDowngrade(parts.name)
    }
  }

  private func remember(_ key: RemoteKey) async throws(SyncError) {
    let known = try await SealRecord(in: parts.journal)
    let isRecorded = known == SealRecord(cipher: cipher.id, key: key.digest)
    let lowest = try await SealRecord.lowestFormat(in: parts.journal)
    guard !isRecorded || lowest < key.format else { return }
    try await SealRecord.write(key, cipher: cipher.id, to: parts.journal)
    if known == nil { onFirstKey(key.digest.fingerprint) }
  }

  private var isReadable: SyncError {
    SyncError(
      .wrongReplica,
      "the settings encrypt the remote \(parts.name) with \(cipher.id), but the files at \(storage.address) are not encrypted; "
        + "nothing was done", remedy: .rekey(remote: parts.name))
  }

  private func isEncrypted(with other: String) -> SyncError {
    SyncError(
      .wrongReplica,
      "the settings encrypt the remote \(parts.name) with \(cipher.id), but the files at \(storage.address) are encrypted "
        + "with \(other); nothing was done")
  }

  private var hasFormerFormat: SyncError {
    SyncError(
      .wrongReplica,
      "the remote \(parts.name) at \(storage.address) has the former format, which does not prove what a file contains: "
        + "anyone who can write there and knows a public key can replace the content of any file; nothing was done. "
        + "Migrate it on one device", remedy: .rekey(remote: parts.name))
  }

  private var hasLostItsKey: SyncError {
    SyncError(
      .wrongReplica,
      "the remote \(parts.name) at \(storage.address) has lost its marker \(ReservedName.marker) with the key; nothing was "
        + "done. Check that the right disk is mounted, or put the marker back from a backup",
      remedy: .reset(remote: parts.name))
  }

  private func hasOtherNames(_ key: RemoteKey) -> SyncError {
    SyncError(
      .wrongReplica,
      "names are \(key.hidesNames ? "" : "not ")encrypted in the remote \(parts.name), but the settings differ; "
        + "nothing was done. Restore the former hide-names, or re-encrypt the remote",
      remedy: .rekey(remote: parts.name))
  }
}

extension SyncError {
  /// The error for a remote with another key than this device knows.
  static func isAnotherKey(
    _ key: RemoteKey, than known: SealRecord, _ name: String, _ address: String
  ) -> SyncError {
    SyncError(
      .wrongReplica,
      "the remote \(name) at \(address) has another key than before: \(key.digest.fingerprint) instead of "
        + "\(known.fingerprint). Another device has re-encrypted it, or an attacker has put another marker there; nothing was "
        + "done. If it was one of your devices, compare the fingerprint there", remedy: .trust(remote: name))
  }

  /// The error for a remote whose first key is not the one in the invitation.
  static func isUnexpected(_ key: RemoteKey, _ expected: String, _ name: String, _ address: String) -> SyncError {
    SyncError(
      .wrongReplica,
      "the key of the remote \(name) at \(address) has the fingerprint \(key.digest.fingerprint), not \(expected) as in the "
        + "invitation; nothing was done. An attacker may have put another marker there. If it was re-encrypted since, compare "
        + "the fingerprint on one of your devices", remedy: .trust(remote: name))
  }

  /// The error for a remote that returned to a format that it had left.
  static func isDowngrade(_ name: String) -> SyncError {
    SyncError(
      .wrongReplica,
      "the marker of the remote \(name) has the former format again, although this device knows that the remote was "
        + "migrated; nothing was done. An attacker may have put an old marker there: restore the newer one")
  }
}
