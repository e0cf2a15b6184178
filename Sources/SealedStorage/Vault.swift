public import SyncKit

/// What is known of the key of one sealed remote. The key is made at the first meeting, and found in the marker at every
/// other; a key that is not the one that was there before is refused.
actor Vault {
  private let cipher: any Cipher
  private let storage: any Storage
  private let parts: RemoteParts
  private var opened: Opened?
  nonisolated let versions: SealedVersions

  /// The remote's key with the cipher that it is used with.
  struct Opened: Sendable {
    var key: RemoteKey
    var cipher: any Cipher
    fileprivate var seal: SealedMarker.Seal
  }

  /// A marker as it was read.
  struct Marker: Sendable {
    var text: SealedMarker
    var entry: Entry
  }

  init(_ cipher: any Cipher, around storage: any Storage, _ parts: RemoteParts) {
    self.cipher = cipher
    self.storage = storage
    self.parts = parts
    versions = SealedVersions(journal: parts.journal)
  }

  /// The key, or nil where nobody has made one yet. The marker is asked for once; who reads it later learns what is new.
  func key() async throws(SyncError) -> Opened? {
    if opened == nil { try await requireNoObstacle(read().1) }
    return opened
  }

  /// A marker that cannot be read is no missing one.
  private func requireNoObstacle(_ result: ReadResult) throws(SyncError) {
    switch result {
    case .read, .absent: break
    case .postponed(let reason):
      throw SyncError(.unavailable, "the marker of \(storage.address) cannot be read now: \(reason)")
    case .failed(let error): throw error
    }
  }

  /// The key, made now if nobody has made one.
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

  /// Reads the marker, and opens the key in it; nil where there is no marker. Throws if it is not the key of this remote, or
  /// cannot be opened.
  func read() async throws(SyncError) -> (Marker?, ReadResult) {
    let sink = MemorySink(limit: RootMarker.maximumSize)
    let result = try await storage.read(RootMarker.path, expecting: nil, into: sink)
    guard case .read(let entry) = result else { return (nil, result) }
    let text = SealedMarker(sink.bytes)
    try await open(text)
    return (Marker(text: text, entry: entry), result)
  }

  /// The bytes of a marker with `rest` as what other layers keep in it, and with the key, which is made if there is none.
  func compose(_ rest: [UInt8]) async throws(SyncError) -> [UInt8] {
    let opened: Opened
    if let known = self.opened { opened = known } else { opened = try await make() }
    let clock = try await SmallBox.seal(versions.last().bigEndianBytes, opened.key.derived(for: "clock"))
    return SealedMarker(rest: rest, seal: opened.seal, clock: clock).bytes
  }

  private func make() async throws(SyncError) -> Opened {
    let key = RemoteKey(bytes: parts.world.random(RemoteKey.size), hidesNames: cipher.hidesNames)
    let sealed = try await cipher.seal(key.text(note: cipher.note(for: key.bytes)), as: RootMarker.path)
    let seal = SealedMarker.Seal(cipher: cipher.id, key: sealed)
    return Opened(key: key, cipher: try cipher.keyed(by: key.bytes), seal: seal)
  }

  private func open(_ marker: SealedMarker) async throws(SyncError) {
    guard let seal = marker.seal else { throw isReadable }
    if opened?.seal != seal {
      guard seal.cipher == cipher.id else { throw isSealed(with: seal.cipher) }
      let key = try await key(in: seal)
      guard key.hidesNames == cipher.hidesNames else { throw hasOtherNames(key) }
      try await recognise(key)
      opened = Opened(key: key, cipher: try cipher.keyed(by: key.bytes), seal: seal)
    }
    guard let opened, let clock = marker.clock,
      let number = SmallBox.open(clock, opened.key.derived(for: "clock"))
    else { return }
    await versions.advance(to: UInt64(bigEndianBytes: number))
  }

  private func key(in seal: SealedMarker.Seal) async throws(SyncError) -> RemoteKey {
    do throws(SyncError) {
      if let key = RemoteKey(try await cipher.open(seal.key, as: RootMarker.path)) { return key }
    } catch  where error.code != .unavailable {
      throw SyncError(
        .unauthorized, "the key in the settings does not open the remote \(parts.name) at \(storage.address)",
        cause: error.message)
    }
    throw SyncError(.unauthorized, "what the marker of \(storage.address) holds is not a key of syncd")
  }

  /// A remote keeps its key for ever; another one in its place could be anybody's.
  private func recognise(_ key: RemoteKey) async throws(SyncError) {
    let record = SealRecord(cipher: cipher.id, key: key.digest)
    if let known = try await SealRecord(in: parts.journal) {
      guard known.key == record.key else { throw isAnotherKey }
      if known == record { return }
    }
    try await record.write(to: parts.journal)
  }

  private var isReadable: SyncError {
    SyncError(
      .wrongReplica,
      "the settings want the remote \(parts.name) sealed with \(cipher.id), and what is at \(storage.address) is readable; "
        + "nothing was done", remedy: .rekey(remote: parts.name))
  }

  private func isSealed(with other: String) -> SyncError {
    SyncError(
      .wrongReplica,
      "the settings want the remote \(parts.name) sealed with \(cipher.id), and what is at \(storage.address) is sealed "
        + "with \(other); nothing was done")
  }

  private func hasOtherNames(_ key: RemoteKey) -> SyncError {
    SyncError(
      .wrongReplica,
      "names are \(key.hidesNames ? "sealed" : "readable") in the remote \(parts.name), and the settings want it otherwise; "
        + "nothing was done. Set hide-names as it was, or encrypt the remote again", remedy: .rekey(remote: parts.name))
  }

  private var isAnotherKey: SyncError {
    SyncError(
      .wrongReplica,
      "the remote \(parts.name) at \(storage.address) has another key than before: it was sealed anew by "
        + "another device, or somebody has put another marker there; nothing was done. If it was one of your devices, "
        + "accept its key", remedy: .rekey(remote: parts.name))
  }
}

/// What a device remembers of a remote that is sealed: with what, and its key's digest. Where it stands, nothing readable is
/// ever written there again.
public struct SealRecord: Hashable, Sendable {
  public var cipher: String
  var key: Digest

  private static let name = "encryption"

  init(cipher: String, key: Digest) {
    self.cipher = cipher
    self.key = key
  }

  /// What the journal of a remote remembers; nil if the remote was never sealed.
  public init?(in journal: any Journal) async throws(SyncError) {
    guard let bytes = try await journal.records()[Self.name] else { return nil }
    guard let key = Digest(bytes: bytes.prefix(32)) else {
      throw SyncError(.damagedState, "a record of a key is damaged")
    }
    self.init(cipher: String(decoding: bytes.dropFirst(32), as: UTF8.self), key: key)
  }

  func write(to journal: any Journal) async throws(SyncError) {
    try await journal.write([Self.name: key.bytes + Array(cipher.utf8)])
  }

  /// Remembers how a remote is sealed from now on; nil if it is readable, as a person wanted it.
  static func write(_ seal: (cipher: String, key: Digest)?, _ journal: any Journal) async throws(SyncError) {
    guard let seal else { return try await journal.write([name: nil as [UInt8]?]) }
    try await SealRecord(cipher: seal.cipher, key: seal.key).write(to: journal)
  }
}
