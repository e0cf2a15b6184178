public import SyncKit

/// Re-encrypts everything in a storage: enables encryption, changes the key or the format, or disables encryption.
///
/// The job can be interrupted at any moment and run again. The new key is stored, encrypted, in the remote's journal; the old
/// one stays in the marker until every file is done; and each file shows which of the two encrypted it.
public struct Rekeying: Sendable {
  let storage: any Storage
  let parts: RemoteParts
  let old: (any Cipher)?
  let new: (any Cipher)?
  let acceptsUnproven: Bool
  let memory: Memory

  /// The device's knowledge of the remote's files from other sources.
  public struct Memory: Sendable {
    /// The version of a file that store and remote last agreed on; it replaces a damaged or misplaced one.
    let agreed: @Sendable (SyncPath) async throws(SyncError) -> Content?
    /// Returns true if this device has this content at this path, or last agreed on it.
    let holds: @Sendable (SyncPath, Digest) async throws(SyncError) -> Bool
    /// Keeps a version in the history before it is replaced.
    let keep: @Sendable (SyncPath, Digest) async throws(SyncError) -> Void

    public init(
      agreed: @escaping @Sendable (SyncPath) async throws(SyncError) -> Content?,
      holds: @escaping @Sendable (SyncPath, Digest) async throws(SyncError) -> Bool,
      keep: @escaping @Sendable (SyncPath, Digest) async throws(SyncError) -> Void
    ) {
      self.agreed = agreed
      self.holds = holds
      self.keep = keep
    }
  }

  /// The result of a run.
  public struct Outcome: Sendable {
    /// The number of files that this run encrypted or decrypted.
    public var sealed = 0
    /// The number of files that an earlier run had encrypted.
    public var done = 0
    /// The files that no device of the remote wrote, which were ignored.
    public var held: [SyncPath] = []
    /// Removed files that had come back, and were removed again.
    public var removed: [SyncPath] = []
    /// The files of the former format that this device cannot prove. The job is not finished while there are any.
    public var unproven: [SyncPath] = []
    /// The fingerprint of the remote's key; nil if the remote is now readable, or the job is not finished.
    public var fingerprint: String?
  }

  /// - Parameters:
  ///   - storage: the storage, without the layer for encryption.
  ///   - old: decrypts the present files; nil if they are readable.
  ///   - new: encrypts the files; nil to make them readable.
  ///   - acceptsUnproven: true to accept files of the former format that differ from what this device knows. That format does
  ///     not prove who wrote them.
  public init(
    _ storage: any Storage, _ parts: RemoteParts, from old: (any Cipher)?, to new: (any Cipher)?,
    acceptsUnproven: Bool, memory: Memory
  ) {
    self.storage = storage
    self.parts = parts
    self.old = old
    self.new = new
    self.acceptsUnproven = acceptsUnproven
    self.memory = memory
  }

  /// Changes the encryption of all files, or continues an interrupted run.
  ///
  /// Throws if the remote's marker is missing or holds another key than this device knows, or if the storage fails; a later
  /// call then continues.
  public func run() async throws(SyncError) -> Outcome {
    try await storage.recover()
    guard let marker = try await storage.sealedMarker() else { throw isUnknown }
    let pending = try await PendingKey(in: parts.journal)
    let target =
      if let pending { try await Side(new, with: pending.seal, parts) } else { try await Side.making(new, parts) }
    if let pending, pending.seal == marker.text.seal {
      return try await finish(Outcome(), target)
    }
    let source: Side
    // A device that has never synced the remote does not know its encryption; the marker contains it.
    let old = old ?? (marker.text.seal?.cipher == new?.id ? new : nil)
    do throws(SyncError) { source = try await Side(old, with: marker.text.seal, parts) } catch {
      // The settings of a finished job are outdated, because they still describe the old encryption.
      guard error.code == .unauthorized, pending == nil, try await isDone(marker.text) else { throw error }
      return Outcome()
    }
    try await requireKnownKey(source)
    if pending == nil { try await PendingKey(seal: target.seal).write(to: parts.journal) }
    var work = Reencryption(job: self, source: source, target: target, versions: versions)
    try await work.run()
    // The remaining files of the former format would be lost with its key.
    guard work.outcome.unproven.isEmpty else { return work.outcome }
    try await replace(marker, by: target)
    // A device may have written with the old key just before.
    try await work.run()
    return try await finish(work.outcome, target)
  }

  /// Throws if the key is not the known one: only a user may accept another key (`KeyTrust`), because an attacker could have
  /// made it.
  private func requireKnownKey(_ source: Side) async throws(SyncError) {
    guard let key = source.key, let known = try await SealRecord(in: parts.journal) else { return }
    guard known.key == key.digest else {
      throw SyncError.isAnotherKey(key, than: known, parts.name, storage.address)
    }
    guard key.format >= (try await SealRecord.lowestFormat(in: parts.journal)) else {
      throw SyncError.isDowngrade(parts.name)
    }
  }

  /// Returns true if the remote's encryption matches the settings, and this device knows it.
  private func isDone(_ marker: SealedMarker) async throws(SyncError) -> Bool {
    let known = try await SealRecord(in: parts.journal)
    guard let new, marker.seal != nil else { return new == nil && marker.seal == nil && known == nil }
    let key = try await Side(new, with: marker.seal, parts).key
    return key?.digest == known?.key && key?.hidesNames == new.hidesNames && key?.format == .current
  }

  private var versions: SealedVersions { SealedVersions(journal: parts.journal) }

  private func replace(_ marker: Vault.Marker, by target: Side) async throws(SyncError) {
    try await keep(marker)
    var text = marker.text
    text.seal = target.seal
    text.clock = nil
    if let key = target.key {
      text.clock = try await SmallBox.seal(versions.last().bigEndianBytes, key.derived(for: "clock"))
    }
    try StorageFailpoint.markerWriting.reach()
    let change = Change(
      path: RootMarker.path, content: Content(text.bytes), condition: .unchanged(marker.entry.revision))
    let result = try await storage.commit(change: change)
    try StorageFailpoint.markerWritten.reach()
    guard case .done = result else {
      throw SyncError(
        .unavailable, "another device has changed the marker of \(storage.address) meanwhile",
        remedy: .rekey(remote: parts.name))
    }
  }

  /// Keeps the old marker with its key in the history: an overlooked file could not be decrypted without it.
  private func keep(_ marker: Vault.Marker) async throws(SyncError) {
    let bytes = marker.text.bytes
    let kept = try await parts.contents.intake(keepingAtMost: .max).receive(size: bytes.count) {
      out throws(SyncError) in try await out.write(bytes)
    }
    try await memory.keep(RootMarker.path, kept.digest)
  }

  private func finish(_ outcome: Outcome, _ target: Side) async throws(SyncError) -> Outcome {
    try await SealRecord.write(target.key, cipher: target.cipher?.id, to: parts.journal)
    let former = SealedVersions.formerKeys.map { ($0, nil as [UInt8]?) }
    try await parts.journal.write(Dictionary(former, uniquingKeysWith: { $1 }))
    try await PendingKey.forget(in: parts.journal)
    var outcome = outcome
    outcome.fingerprint = target.key?.digest.fingerprint
    return outcome
  }

  private var isUnknown: SyncError {
    SyncError(
      .wrongReplica, "no marker of syncd at \(storage.address)", remedy: .sync(remote: parts.name))
  }

  /// One of the two encryptions during a job: a cipher with a key, or none.
  struct Side: Sendable {
    private(set) var cipher: (any Cipher)?
    private(set) var key: RemoteKey?
    private(set) var seal: SealedMarker.Seal?
    var names: SealedNames { SealedNames(key) }

    /// No encryption.
    private init() {}

    /// The encryption that a marker describes; none if it has no key.
    init(_ cipher: (any Cipher)?, with seal: SealedMarker.Seal?, _ parts: RemoteParts) async throws(SyncError) {
      guard cipher != nil || seal != nil else { return }
      guard let cipher, let seal, cipher.id == seal.cipher else {
        throw SyncError(
          .unauthorized,
          "the files of the remote \(parts.name) are \(seal.map { "encrypted with \($0.cipher)" } ?? "readable"), and the "
            + "settings differ; pass the settings file that they were written with as `--from FILE`")
      }
      guard let key = RemoteKey(try await cipher.decrypt(seal.key, as: RootMarker.path)) else {
        throw SyncError(.unauthorized, "the marker of the remote \(parts.name) contains no key of syncd")
      }
      self.cipher = try cipher.keyed(by: key.bytes)
      self.key = key
      self.seal = seal
    }

    /// Returns a side with a new key.
    static func making(_ cipher: (any Cipher)?, _ parts: RemoteParts) async throws(SyncError) -> Side {
      guard let cipher else { return Side() }
      let key = RemoteKey(bytes: parts.runtime.random(RemoteKey.size), hidesNames: cipher.hidesNames)
      let sealed = try await cipher.encrypt(key.text(note: cipher.note(for: key.bytes)), as: RootMarker.path)
      return try await Side(cipher, with: SealedMarker.Seal(cipher: cipher.id, key: sealed), parts)
    }
  }
}

/// The new key of an unfinished job.
public struct PendingKey: Hashable, Sendable {
  /// Nil if encryption is being disabled.
  var seal: SealedMarker.Seal?

  private static let name = "rekey"

  init(seal: SealedMarker.Seal?) { self.seal = seal }

  /// Reads the key from the journal of a remote; returns nil if no job is unfinished.
  public init?(in journal: any Journal) async throws(SyncError) {
    guard let bytes = try await journal.records()[Self.name] else { return nil }
    seal = SealedMarker(bytes).seal
  }

  func write(to journal: any Journal) async throws(SyncError) {
    try await journal.write([Self.name: SealedMarker(rest: [], seal: seal, clock: nil).bytes])
  }

  static func forget(in journal: any Journal) async throws(SyncError) {
    try await journal.write([name: nil as [UInt8]?])
  }
}

extension Storage {
  /// Reads the marker; returns nil if there is none.
  func sealedMarker() async throws(SyncError) -> Vault.Marker? {
    let sink = MemorySink(limit: RootMarker.maximumSize)
    switch try await read(file: RootMarker.path, into: sink) {
    case .read(let entry): return Vault.Marker(text: SealedMarker(sink.bytes), entry: entry)
    case .absent: return nil
    case .postponed(let reason):
      throw SyncError(.unavailable, "the marker of \(address) cannot be read now: \(reason)")
    case .failed(let error): throw error
    }
  }
}
