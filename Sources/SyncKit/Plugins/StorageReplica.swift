/// Turns any storage into a replica: its files are the storage's files, and its identity is a marker in the root.
public struct StorageReplica: Replica {
  private let storage: any Storage
  private let parts: RemoteParts

  /// - Parameters:
  ///   - storage: The storage of the files.
  ///   - parts: The parts of the remote, for the device's id and random numbers.
  public init(_ storage: any Storage, _ parts: RemoteParts) {
    self.storage = storage
    self.parts = parts
  }

  // MARK: Identity

  public func claim() async throws(SyncError) -> RootIdentity {
    try await storage.createRoot()
    if let (marker, _) = try await marker() { return RootIdentity(address: address, id: marker.id) }
    try StorageFailpoint.markerWriting.reach()
    let new = RootMarker(id: parts.runtime.uniqueName(length: 26))
    let result = try await storage.write(Content(new.bytes), to: RootMarker.path, if: .absent)
    try StorageFailpoint.markerWritten.reach()
    // Another device may have been faster; then its id is the replica's.
    guard let (marker, _) = try await marker() else { throw cannotMark(result) }
    return RootIdentity(address: address, id: marker.id)
  }

  @discardableResult public func stamp(generation: Int) async throws(SyncError) -> Bool {
    // Another device's stamp may intervene; a stamp is worth a few attempts, but its failure is not an error.
    for _ in 0..<3 {
      guard let (found, revision) = try await marker() else { return false }
      var marker = found
      guard marker.generations[parts.device.id] != generation else { return true }
      let former = Content(marker.bytes)
      marker.generations[parts.device.id] = generation
      marker.devices[parts.device.id] = Device.name(from: parts.device.name)
      let change = Change(
        path: RootMarker.path, content: Content(marker.bytes), condition: .unchanged(revision), replaced: former)
      try StorageFailpoint.markerWriting.reach()
      let result = try await storage.commit(change: change)
      try StorageFailpoint.markerWritten.reach()
      if case .done = result { return true }
    }
    return false
  }

  public func recorded(_ agreements: [Agreement]) {}

  // MARK: The storage's files

  public func list(since known: Known) async throws(SyncError) -> Snapshot {
    let listing = try await storage.list(since: known)
    var root = RootIdentity(address: address, id: nil)
    var devices: [String: String] = [:]
    if let (marker, _) = try await marker() {
      root.id = marker.id
      root.generation = marker.generations[parts.device.id]
      devices = marker.devices
    }
    var snapshot = try await listing.identified(as: root, provesAbsence: capabilities().provesAbsence)
    snapshot.devices = devices
    return snapshot
  }

  public func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    try StorageFailpoint.commitStarting.reach()
    let results = try await storage.commit(changes)
    try StorageFailpoint.commitFinished.reach()
    return results
  }

  public var address: String { storage.address }

  public func capabilities() async throws(SyncError) -> Capabilities { try await storage.capabilities() }

  public func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    try await storage.read(paths, into: sink)
  }

  public func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    try await storage.confirm(paths)
  }

  public func createRoot() async throws(SyncError) { try await storage.createRoot() }

  public func recover() async throws(SyncError) { try await storage.recover() }

  public func changes() -> AsyncStream<Void> { storage.changes() }

  public func diagnose() async throws(SyncError) -> [Finding] { try await storage.diagnose() }

  // MARK: The marker

  private func marker() async throws(SyncError) -> (RootMarker, Revision)? {
    let sink = MemorySink(limit: RootMarker.maximumSize)
    switch try await storage.read(file: RootMarker.path, into: sink) {
    case .read(let entry):
      guard let marker = RootMarker(sink.bytes) else { throw notAMarker }
      guard !marker.isEncrypted else { throw isEncrypted }
      return (marker, entry.revision)
    case .absent: return nil
    case .postponed(let reason):
      throw SyncError(.unavailable, "cannot read the marker of \(address) now: \(reason)")
    case .failed(let error): throw error
    }
  }

  private var notAMarker: SyncError {
    SyncError(
      .wrongReplica,
      "\(address)/\(ReservedName.marker) is not a valid marker; if it is damaged, move it away and run again"
    )
  }

  private var isEncrypted: SyncError {
    SyncError(
      .wrongReplica,
      "\(address) is encrypted, but the settings of the remote \(parts.name) do not say so; nothing was changed. Add "
        + "the `encryption` that it was created with")
  }

  private func cannotMark(_ result: WriteResult) -> SyncError {
    switch result {
    case .failed(let error), .unknown(let error): error
    default: SyncError(.unavailable, "cannot write the marker \(ReservedName.marker) to \(address)")
    }
  }
}

extension Snapshot {
  /// The same listing with another identity.
  func identified(as root: RootIdentity, provesAbsence: Bool) -> Snapshot {
    var snapshot = Snapshot(
      known: known, same: same, others: others, unread: unread, isComplete: isComplete && provesAbsence, root: root,
      naming: naming, wentBackwards: wentBackwards, cursor: cursor)
    (snapshot.written, snapshot.waiting) = (written, waiting)
    return snapshot
  }
}
