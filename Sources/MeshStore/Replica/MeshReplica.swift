internal import MeshState
package import SyncKit

/// This device's part of a mesh, as a replica: what all devices have, as far as this one has got it.
///
/// A pass reads and writes only the folder on this disk, and never waits for another device. A write is durable, with its
/// content, before `commit` returns: first the segment, then the state that names it. Several handles may use a folder.
package actor MeshReplica: Replica, StorageDefaults {
  package nonisolated let address: String
  let folder: MeshFolder
  let secret: MeshSecret
  let blobs: BlobSeal
  let device: Device
  let runtime: Runtime
  /// The state, the file that it was read from, if there was one, and if that file has exactly this state; nil before it is read.
  var loaded: (mesh: StoredMesh, file: FileIdentity?, isSaved: Bool)?
  /// The segments that were fetched for a join which is not finished, so that the state does not name them yet.
  var arriving: Set<MerkleRoot> = []
  /// The segments with the tables of other devices, by their writer.
  var tablesOfOthers: [Writer: Set<MerkleRoot>] = [:]
  /// Where the contents are that were replaced a short time ago.
  var formerPlaces: [Digest: BlobPlace] = [:]
  /// The last small contents that were rebuilt.
  var rebuiltContents: [Digest: [UInt8]] = [:]
  /// How long a segment is kept that nothing names any more, for devices that are fetching it.
  let retention: Duration
  /// What the engine knew when it last listed the files: it decides which of several versions is presented.
  private var known = Known()

  /// - Parameters:
  ///   - folder: The folder of the mesh. It need not exist; its parent must.
  ///   - secret: The secret that all devices share.
  ///   - retention: How long a segment is kept that nothing names any more, for devices that are fetching it.
  package init(
    _ folder: MeshFolder, _ secret: MeshSecret, _ device: Device, _ runtime: Runtime,
    retention: Duration = .seconds(600)
  ) {
    self.retention = retention
    self.folder = folder
    self.secret = secret
    self.device = device
    self.runtime = runtime
    blobs = BlobSeal(secret)
    address = "mesh \(Hexadecimal.text(of: secret.swarm.prefix(4)))"
  }

  // MARK: Identity

  package func capabilities() -> Capabilities {
    // A version is joined only when its content is there.
    Capabilities(
      replacement: .conditional, naming: Self.naming, uploadCheck: .confirmed, notifiesWhenComplete: true)
  }

  private static let naming = NamingRules(maximumPathLength: Bounds.path)

  package func claim() async throws(SyncError) -> RootIdentity {
    try folder.create()
    try await change { mesh throws(SyncError) in if folder.stateIdentity == nil { try save(mesh) } }
    return try root()
  }

  package func recover() async throws(SyncError) {
    guard folder.stateIdentity != nil else { return }
    try await change { mesh throws(SyncError) in
      try folder.clearIncoming()
      if loaded?.isSaved != true { try save(mesh) }
      try removeUnused(mesh)
    }
  }

  /// The address names the state: if it was lost, the engine must not treat the files that it lacks as deleted.
  private func root() throws(SyncError) -> RootIdentity {
    let mesh = try load()
    let exists = folder.stateIdentity != nil
    return RootIdentity(
      address: "\(address), state \(String(mesh.creation, radix: 16))",
      id: exists ? Hexadecimal.text(of: secret.swarm) : nil)
  }

  // MARK: Files

  package func list(since known: Known) async throws(SyncError) -> Snapshot {
    self.known = known
    let mesh = try load()
    var builder = SnapshotBuilder(since: known)
    for path in mesh.state.files.keys.sorted() {
      guard var entry = entry(at: path, mesh) else { continue }
      // The engine reads what has changed, which checks that it is intact.
      entry.digest = nil
      builder.add(entry)
    }
    return builder.finish(root: try root(), naming: Self.naming)
  }

  package func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    let mesh = try load()
    return paths.map { entry(at: $0, mesh).map(Presence.present) ?? .absent }
  }

  package func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    let mesh = try load()
    var results: [ReadResult] = []
    for path in paths {
      guard let entry = entry(at: path, mesh), let digest = entry.digest else {
        results.append(.absent)
        continue
      }
      switch content(digest, mesh) {
      case .success(let content):
        _ = try await sink.of(path).receive(content)
        results.append(.read(entry))
      case .failure(let error): results.append(.failed(error))
      }
    }
    return results
  }

  /// Returns a content, verified.
  func content(_ digest: Digest, _ mesh: StoredMesh) -> Result<[UInt8], SyncError> {
    guard let place = mesh.places[digest] else {
      return .failure(SyncError(.suspect, "the state of the mesh does not say where the content \(digest.short) is"))
    }
    do throws(SyncError) {
      let blob = try folder.read(place.segment.root, from: place.offset, count: Int(place.length))
      do throws(FormatError) { return .success(try blobs.decrypt(blob, digest: digest)) } catch {
        throw SyncError(
          .suspect, "the content \(digest.short) in the segment \(place.segment.root) is damaged: \(error.reason)")
      }
    } catch { return .failure(error.code == .notFound ? SyncError(.suspect, error.message) : error) }
  }

  private func entry(at path: SyncPath, _ mesh: StoredMesh) -> Entry? {
    let dots = known[path]?.dots ?? []
    let agreed = known.digest(of: path).map { (digest: $0, dots: dots) }
    guard let present = mesh.state.presentation(of: path, agreed: agreed) else { return nil }
    return Entry(
      path: path, revision: Revision(of: present.dots), digest: present.digest, size: present.size,
      concurrent: present.concurrent)
  }

  // MARK: Changes

  package func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var contents: [Int: Result<[UInt8], SyncError>] = [:]
    for index in changes.indices {
      if let content = changes[index].content { contents[index] = await Self.bytes(of: content) }
    }
    var results: [WriteResult?] = Array(repeating: nil, count: changes.count)
    try await change { mesh throws(SyncError) in
      var writing = MeshWriting(mesh)
      for index in changes.steps.joined() {
        results[index] = carryOut(changes[index], contents[index], &writing)
      }
      guard !writing.changed.isEmpty else { return }
      try finish(writing, &mesh)
    }
    return results.complete
  }

  private static func bytes(of content: Content) async -> Result<[UInt8], SyncError> {
    do throws(SyncError) {
      let bytes = try await content.bytes(atMost: largestFile)
      guard Digest(of: bytes) == content.digest else {
        throw SyncError(.changedMeanwhile, "the content changed while it was read")
      }
      return .success(bytes)
    } catch { return .failure(error) }
  }

  /// The largest file; its content is read into memory as a whole.
  static let largestFile = 256 << 20

  private func carryOut(
    _ change: Change, _ content: Result<[UInt8], SyncError>?, _ writing: inout MeshWriting
  ) -> WriteResult {
    if let objection = Self.naming.violation(by: change.path) { return .cannot(objection) }
    let present = entry(at: change.path, writing.mesh)
    let expected: Revision? = if case .unchanged(let revision) = change.condition { revision } else { nil }
    guard present?.revision == expected, let dots = expected.map(\.dots) ?? [] else { return .refused(present) }
    switch content {
    case .failure(let error): return .failed(error)
    case .success(let bytes):
      writing.write(bytes, at: change.path, replacing: dots, milliseconds: milliseconds, blobs)
      return .done(entry(at: change.path, writing.mesh))
    case nil:
      writing.remove(dots, at: change.path)
      return .done(nil)
    }
  }

  var milliseconds: UInt64 { UInt64(max(0, runtime.now().nanoseconds / 1_000_000)) }

  /// Writes what has changed: the contents, the table of the changes, then the state.
  func finish(_ writing: MeshWriting, _ mesh: inout StoredMesh) throws(SyncError) {
    var new = writing.mesh
    for (digest, blob) in writing.large {
      let segment = Segment(blobs: [(digest, blob)], salt: runtime.random(16))
      let name = try folder.write(segment: segment.bytes(table: nil, secret))
      new.places[digest] = BlobPlace(segment: name, offset: UInt64(Segment.headerSize), length: UInt64(blob.count))
    }
    let segment = Segment(blobs: writing.small, salt: runtime.random(16))
    let places = segment.places
    new.forgetPlaces()
    let isWhole = new.tables.isEmpty
    // The former state, so that a device that has it needs the table of the change only.
    if new.tables.count >= Self.tableLimit { new.tables = [try write(wholeTable: mesh.wholeTable)] }
    let rows = new.rows(of: isWhole ? new.state.paths : writing.changed)
    let table = MeshTable(isWhole: isWhole, rows: rows, places: new.places(in: rows, own: places))
    let bytes = segment.bytes(table: table, secret)
    let end = UInt64(bytes.count - places.values.reduce(0) { $0 + Int($1.length) })
    let name = try folder.write(segment: bytes)
    for (digest, place) in places where writing.isLive(digest) {
      new.places[digest] = BlobPlace(segment: name, offset: end + place.offset, length: place.length)
    }
    new.tables = (isWhole ? [] : new.tables) + [MeshHead.TableName(segment: name, end: end)]
    new.number = max(new.number + 1, milliseconds)
    try save(new)
    rememberPlaces(of: mesh, without: new)
    mesh = new
  }

  private func write(wholeTable table: MeshTable) throws(SyncError) -> MeshHead.TableName {
    let bytes = Segment(salt: runtime.random(16)).bytes(table: table, secret)
    return MeshHead.TableName(segment: try folder.write(segment: bytes), end: UInt64(bytes.count))
  }

  /// The number of tables after which one with all paths takes their place.
  private static let tableLimit = 32
}

/// The changes of a batch, before they are written.
struct MeshWriting {
  var mesh: StoredMesh
  private(set) var changed: Set<SyncPath> = []
  /// The new blobs, and those that get a segment of their own.
  private(set) var small: [(digest: Digest, bytes: [UInt8])] = []
  private(set) var large: [(digest: Digest, bytes: [UInt8])] = []
  private var added: Set<Digest> = []

  init(_ mesh: StoredMesh, changed: Set<SyncPath> = []) {
    self.mesh = mesh
    self.changed = changed
  }

  /// Contents of more than this size get a segment of their own, so that devices can fetch them one by one.
  private static let smallSize = 1 << 20

  mutating func write(
    _ bytes: [UInt8], at path: SyncPath, replacing dots: Set<Dot>, milliseconds: UInt64, _ blobs: BlobSeal
  ) {
    let digest = Digest(of: bytes)
    if mesh.places[digest] == nil, added.insert(digest).inserted {
      let blob = blobs.encrypt(bytes, digest: digest)
      if bytes.count > Self.smallSize { large.append((digest, blob)) } else { small.append((digest, blob)) }
    }
    mesh.state.write(digest, size: bytes.count, at: path, replacing: dots, milliseconds: milliseconds)
    changed.insert(path)
  }

  mutating func remove(_ dots: Set<Dot>, at path: SyncPath) {
    mesh.state.remove(dots, at: path)
    changed.insert(path)
  }

  func isLive(_ digest: Digest) -> Bool { mesh.state.files.values.contains { $0.contains { $0.digest == digest } } }
}
