public import SyncKit

/// Seals everything in a storage anew: with another key, for the first time, or no longer. It may be interrupted at any
/// moment and run again: the new key waits, itself sealed, in the remote's journal, the old one stays in the marker until
/// every file is done, and each file tells by which of them it is sealed.
public struct Rekeying: Sendable {
  let storage: any Storage
  let parts: RemoteParts
  let old: (any Cipher)?
  let new: (any Cipher)?
  /// Whether a key that another device has made meanwhile is taken over.
  let adopts: Bool
  /// The version of a file that store and remote last agreed on, to be published again in place of one that is held.
  let agreed: @Sendable (SyncPath) async throws(SyncError) -> Content?
  /// Keeps a version in history before it is replaced.
  let keep: @Sendable (SyncPath, Digest) async throws(SyncError) -> Void

  /// What became of the files.
  public struct Outcome: Sendable {
    public var sealed = 0
    /// Files that had been sealed anew before.
    public var done = 0
    /// Files of nobody who knows the key, which were left alone.
    public var held: [SyncPath] = []
    /// Whether another device had sealed the remote anew, so that there was nothing to do but to remember its key.
    public var isAdopted = false
  }

  /// - Parameters:
  ///   - storage: where the files are, without encryption around it.
  ///   - old: what opens them now; nil where they are readable.
  ///   - new: what shall seal them; nil if they shall be readable.
  public init(
    _ storage: any Storage, _ parts: RemoteParts, from old: (any Cipher)?, to new: (any Cipher)?, adopts: Bool,
    agreed: @escaping @Sendable (SyncPath) async throws(SyncError) -> Content?,
    keep: @escaping @Sendable (SyncPath, Digest) async throws(SyncError) -> Void
  ) {
    self.storage = storage
    self.parts = parts
    self.old = old
    self.new = new
    self.adopts = adopts
    self.agreed = agreed
    self.keep = keep
  }

  public func run() async throws(SyncError) -> Outcome {
    try await storage.recover()
    guard let marker = try await storage.sealedMarker() else { throw isUnknown }
    let pending = try await PendingKey(in: parts.journal)
    if pending == nil, let other = try await keyOfAnotherDevice(in: marker.text) {
      try await finish(other)
      return Outcome(isAdopted: true)
    }
    let target =
      if let pending { try await Side(new, with: pending.seal, parts) } else { try await Side.making(new, parts) }
    if let pending, pending.seal == marker.text.seal {
      try await finish(target)
      return Outcome()
    }
    let source: Side
    do throws(SyncError) { source = try await Side(old, with: marker.text.seal, parts) } catch {
      // Whoever repeats a job that is done has the old settings, which no longer say how the remote is sealed.
      guard error.code == .unauthorized, pending == nil, try await isDone(marker.text) else { throw error }
      return Outcome()
    }
    if pending == nil { try await PendingKey(seal: target.seal).write(to: parts.journal) }
    var sealing = Resealing(job: self, source: source, target: target, versions: versions)
    try await sealing.run()
    try await replace(marker, by: target)
    // Whoever wrote with the old key just before has not been told yet.
    try await sealing.run()
    try await finish(target)
    return sealing.outcome
  }

  /// The way in which another device has sealed the remote, if that is what the settings say and not what is remembered.
  private func keyOfAnotherDevice(in marker: SealedMarker) async throws(SyncError) -> Side? {
    guard adopts, let known = try await SealRecord(in: parts.journal), let new, marker.seal?.cipher == new.id else {
      return nil
    }
    do throws(SyncError) {
      let side = try await Side(new, with: marker.seal, parts)
      return side.key?.digest == known.key ? nil : side
    } catch {
      guard error.code == .unauthorized else { throw error }
      return nil
    }
  }

  /// Whether the remote is sealed as the settings say, and this device knows it.
  private func isDone(_ marker: SealedMarker) async throws(SyncError) -> Bool {
    let known = try await SealRecord(in: parts.journal)
    guard let new, marker.seal != nil else { return new == nil && marker.seal == nil && known == nil }
    let key = try await Side(new, with: marker.seal, parts).key
    return key?.digest == known?.key && key?.hidesNames == new.hidesNames
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
    let result = try await storage.commit([change])
    try StorageFailpoint.markerWritten.reach()
    guard case .done? = result.first else {
      throw SyncError(
        .unavailable, "another device has changed the marker of \(storage.address) meanwhile",
        remedy: .rekey(remote: parts.name))
    }
  }

  /// The old key goes into history: what nobody knew to be there could not be opened without it.
  private func keep(_ marker: Vault.Marker) async throws(SyncError) {
    let bytes = marker.text.bytes
    let kept = try await parts.contents.intake(keepingAtMost: .max).receive(size: bytes.count) {
      out throws(SyncError) in try await out.write(bytes)
    }
    try await keep(RootMarker.path, kept.digest)
  }

  private func finish(_ target: Side) async throws(SyncError) {
    try await SealRecord.write(
      target.cipher.flatMap { cipher in target.key.map { (cipher.id, $0.digest) } }, parts.journal)
    try await PendingKey.forget(in: parts.journal)
  }

  private var isUnknown: SyncError {
    SyncError(
      .wrongReplica, "nothing at \(storage.address) was written by syncd yet", remedy: .sync(remote: parts.name))
  }

  /// One of the two ways in which a file may be there: with a cipher and a key, or readable.
  struct Side: Sendable {
    private(set) var cipher: (any Cipher)?
    private(set) var key: RemoteKey?
    private(set) var seal: SealedMarker.Seal?
    var names: SealedNames { SealedNames(key) }

    /// Files that are readable.
    private init() {}

    /// What belongs to a seal that was made before; nil for readable files.
    init(_ cipher: (any Cipher)?, with seal: SealedMarker.Seal?, _ parts: RemoteParts) async throws(SyncError) {
      guard cipher != nil || seal != nil else { return }
      guard let cipher, let seal, cipher.id == seal.cipher else {
        throw SyncError(
          .unauthorized,
          "the files of the remote \(parts.name) are \(seal.map { "sealed with \($0.cipher)" } ?? "readable"), and the "
            + "settings describe them otherwise; give the settings they were made with as `--from FILE`")
      }
      guard let key = RemoteKey(try await cipher.open(seal.key, as: RootMarker.path)) else {
        throw SyncError(.unauthorized, "what the marker of the remote \(parts.name) holds is not a key of syncd")
      }
      self.cipher = try cipher.keyed(by: key.bytes)
      self.key = key
      self.seal = seal
    }

    /// A new key.
    static func making(_ cipher: (any Cipher)?, _ parts: RemoteParts) async throws(SyncError) -> Side {
      guard let cipher else { return Side() }
      let key = RemoteKey(bytes: parts.world.random(RemoteKey.size), hidesNames: cipher.hidesNames)
      let sealed = try await cipher.seal(key.text(note: cipher.note(for: key.bytes)), as: RootMarker.path)
      return try await Side(cipher, with: SealedMarker.Seal(cipher: cipher.id, key: sealed), parts)
    }
  }
}

/// The key that a job of sealing anew has made, until the job is done.
public struct PendingKey: Hashable, Sendable {
  /// Nil if the files shall be readable.
  var seal: SealedMarker.Seal?

  private static let name = "rekey"

  init(seal: SealedMarker.Seal?) { self.seal = seal }

  /// What the journal of a remote remembers; nil if no job is under way.
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
  /// The marker as it stands there; nil where there is none.
  func sealedMarker() async throws(SyncError) -> Vault.Marker? {
    let sink = MemorySink(limit: RootMarker.maximumSize)
    switch try await read(RootMarker.path, expecting: nil, into: sink) {
    case .read(let entry): return Vault.Marker(text: SealedMarker(sink.bytes), entry: entry)
    case .absent: return nil
    case .postponed(let reason):
      throw SyncError(.unavailable, "the marker of \(address) cannot be read now: \(reason)")
    case .failed(let error): throw error
    }
  }
}
