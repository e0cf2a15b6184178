package import MeshState
package import SyncKit

/// What a device shows another one: its head, and the segments that the head leads to.
package struct MeshOffer: Sendable {
  package var head: MeshHead
  /// Segments that came with the head.
  package var arrived: [MerkleRoot: [UInt8]]
  /// Returns a segment; nil if it is unavailable now.
  package var segment: @Sendable (SegmentName) async throws(SyncError) -> [UInt8]?

  package init(
    head: MeshHead, arrived: [MerkleRoot: [UInt8]] = [:],
    segment: @escaping @Sendable (SegmentName) async throws(SyncError) -> [UInt8]?
  ) {
    self.head = head
    self.arrived = arrived
    self.segment = segment
  }

  fileprivate func result(of name: SegmentName) async -> Result<[UInt8]?, SyncError> {
    do throws(SyncError) { return .success(try await segment(name)) } catch { return .failure(error) }
  }
}

extension MeshReplica {
  /// Returns the present head of this device.
  /// - Parameter port: The port at which the device listens; 0 for none.
  package func head(program: String, port: UInt16) throws(SyncError) -> MeshHead {
    let mesh = try load()
    return MeshHead(
      writer: mesh.state.writer, device: device.name, program: program, port: port, number: mesh.number,
      context: mesh.state.context, state: mesh.state.digest, tables: mesh.tables)
  }

  /// Returns a whole segment; nil if it is not there.
  package func segment(_ name: SegmentName) throws(SyncError) -> [UInt8]? { try folder.segment(name) }

  /// The segments that other devices may want.
  package func servedSegments() throws(SyncError) -> Set<SegmentName> {
    let mesh = try load()
    let names = Set(mesh.tables.map(\.segment)).union(mesh.places.values.map(\.segment))
    return names.filter { folder.size(of: $0.root) == $0.length }
  }

  /// What this device offers to others.
  package func offer(program: String = "", port: UInt16 = 0) throws(SyncError) -> MeshOffer {
    let folder = folder
    return MeshOffer(head: try head(program: program, port: port)) { name throws(SyncError) in
      try folder.segment(name)
    }
  }

  /// Fetches what another device has and this one lacks, and joins its state.
  ///
  /// A path whose content does not arrive, or is not what its writer said, stays as it is, and a later meeting tries again. Throws
  /// `.suspect` if the head or a table is not what a device of this mesh writes; then nothing is joined.
  @discardableResult
  package func join(_ offer: MeshOffer) async throws(SyncError) -> MeshState.JoinResult {
    let own = try load()
    guard own.state.digest != offer.head.state else { return MeshState.JoinResult() }
    guard let (theirs, places) = try await state(of: offer) else {
      var result = MeshState.JoinResult(waiting: own.state.waiting)
      result.isComplete = false
      return result
    }
    defer { arriving = [] }
    let held = try await fetch(theirs, places, offer)
    var result = MeshState.JoinResult()
    try await change { mesh throws(SyncError) in result = try join(theirs, places, held, &mesh) }
    return result
  }

  /// Returns the state that a head describes; nil if a segment with a table is unavailable.
  private func state(
    of offer: MeshOffer
  ) async throws(SyncError) -> (MeshState, [Digest: BlobPlace])? {
    if let derived = try await derivedState(of: offer) { return derived }
    let names = offer.head.tables
    let segments = try await segments(names.map(\.segment), offer)
    try await keep(segments, of: offer)
    guard segments.count == Set(names.map(\.segment.root)).count else { return nil }
    let (tables, places) = try parse(names[...], segments, offer)
    guard tables.first?.isWhole ?? true else { throw Self.suspect(offer, "its head", "no table has all paths") }
    let state = MeshState(offer.head.writer, offer.head.context, tables)
    guard state.digest == offer.head.state else {
      throw Self.suspect(offer, "its head", "the tables describe another state")
    }
    return (state, places)
  }

  /// Returns the state that a head describes if it is the own one with the changes of the last tables, which are at hand: so a change
  /// needs no earlier table. The digest in the head proves it.
  private func derivedState(of offer: MeshOffer) async throws(SyncError) -> (MeshState, [Digest: BlobPlace])? {
    var segments: [MerkleRoot: [UInt8]] = [:]
    for name in offer.head.tables.lazy.map(\.segment).reversed() {
      let arrived = offer.arrived[name.root].flatMap { UInt64($0.count) == name.length ? $0 : nil }
      let bytes = if let arrived { arrived } else { try folder.segment(name) }
      guard let bytes else { break }
      segments[name.root] = bytes
    }
    let last = offer.head.tables.suffix(segments.count)
    guard !last.isEmpty, last.count < offer.head.tables.count else { return nil }
    let (tables, places) = try parse(last, segments, offer)
    let own = try load().state
    guard own.waiting.isEmpty else { return nil }
    let state = MeshState(offer.head.writer, offer.head.context, tables, over: own.files)
    guard state.digest == offer.head.state else { return nil }
    try await keep(segments, of: offer)
    return (state, places)
  }

  /// Parses tables. Returns them, and where the contents are.
  private func parse(
    _ names: ArraySlice<MeshHead.TableName>, _ segments: [MerkleRoot: [UInt8]], _ offer: MeshOffer
  ) throws(SyncError) -> ([MeshTable], [Digest: BlobPlace]) {
    var (tables, places): ([MeshTable], [Digest: BlobPlace]) = ([], [:])
    for name in names {
      let table: MeshTable
      do throws(FormatError) {
        guard let bytes = segments[name.segment.root], let found = try Segment.table(bytes, secret) else {
          throw FormatError("it has no table")
        }
        table = found
      } catch { throw Self.suspect(offer, "its segment \(name.segment.root)", error.reason) }
      for (digest, place) in table.places {
        places[digest] = BlobPlace(
          segment: place.segment ?? name.segment, offset: place.offset + (place.segment == nil ? name.end : 0),
          length: place.length)
      }
      tables.append(table)
    }
    return (tables, places)
  }

  private static func suspect(_ offer: MeshOffer, _ what: String, _ reason: String) -> SyncError {
    SyncError(.suspect, "the device \(offer.head.device) sent something else than it announced: \(what): \(reason)")
  }

  /// Keeps segments with tables of a device while this process runs: its next head names most of them again.
  private func keep(_ segments: [MerkleRoot: [UInt8]], of offer: MeshOffer) async throws(SyncError) {
    tablesOfOthers[offer.head.writer] = Set(segments.keys)
    let new = offer.head.tables.map(\.segment).filter { folder.size(of: $0.root) != $0.length }
      .compactMap { segments[$0.root] }
    guard !new.isEmpty else { return }
    try folder.create()
    try await change { _ throws(SyncError) in for bytes in new { _ = try folder.write(segment: bytes) } }
  }

  /// Returns segments from this folder, or fetches them at the same time and verifies their roots. What does not arrive is missing.
  private func segments(
    _ names: [SegmentName], _ offer: MeshOffer
  ) async throws(SyncError) -> [MerkleRoot: [UInt8]] {
    var found: [MerkleRoot: [UInt8]] = [:]
    for name in names { found[name.root] = try folder.segment(name) }
    let missing = names.filter { found[$0.root] == nil }
    let results = await withTaskGroup(of: (SegmentName, Result<[UInt8]?, SyncError>).self) { group in
      for name in missing { group.addTask { (name, await offer.result(of: name)) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    for (name, result) in results {
      guard let bytes = try result.get() else { continue }
      guard UInt64(bytes.count) == name.length, MerkleRoot(of: bytes) == name.root else {
        throw Self.suspect(offer, "the segment \(name.root)", "it has another hash")
      }
      found[name.root] = bytes
    }
    return found
  }

  /// The number of segments with contents, and of bytes in them, that are fetched at the same time.
  private static let window = (count: 8, size: UInt64(32 << 20))

  /// Returns names in groups to be fetched at the same time; a large segment is a group of its own.
  private static func windows(_ names: [SegmentName]) -> [[SegmentName]] {
    var (windows, size): ([[SegmentName]], UInt64) = ([], 0)
    for name in names {
      size += name.length
      if windows.isEmpty || size > window.size || windows[windows.count - 1].count == window.count {
        windows.append([])
        size = name.length
      }
      windows[windows.count - 1].append(name)
    }
    return windows
  }

  /// Fetches the segments with contents that this device lacks, small ones first. Returns the contents that are now held.
  private func fetch(
    _ theirs: MeshState, _ places: [Digest: BlobPlace], _ offer: MeshOffer
  ) async throws(SyncError) -> [Digest: BlobPlace] {
    try folder.create()
    let own = try load()
    let missing = Set(theirs.files.values.joined().map(\.digest)).subtracting(own.places.keys)
    let wanted = Dictionary(grouping: missing.compactMap { digest in places[digest].map { (digest, $0) } }) {
      $0.1.segment
    }
    var held: [Digest: BlobPlace] = [:]
    let names = wanted.keys.sorted { ($0.length, $0.root) < ($1.length, $1.root) }
    for window in Self.windows(names) {
      for (root, bytes) in try await segments(window, offer) {
        arriving.insert(root)
        try await change { _ throws(SyncError) in _ = try folder.write(segment: bytes) }
        for name in window where name.root == root {
          for (digest, place) in wanted[name] ?? [] where isIntact(place, digest, in: bytes) { held[digest] = place }
        }
      }
    }
    return held
  }

  private func isIntact(_ place: BlobPlace, _ digest: Digest, in segment: [UInt8]) -> Bool {
    guard place.offset <= UInt64(segment.count), place.length <= UInt64(segment.count) - place.offset else {
      return false
    }
    let blob = segment[Int(place.offset)..<Int(place.offset + place.length)]
    return (try? blobs.decrypt(Array(blob), digest: digest)) != nil
  }

  private func join(
    _ theirs: MeshState, _ places: [Digest: BlobPlace], _ held: [Digest: BlobPlace], _ mesh: inout StoredMesh
  ) throws(SyncError) -> MeshState.JoinResult {
    var joined = mesh
    var changed: Set<SyncPath> = []
    if joined.state.wasOvertaken(by: theirs) {
      changed = joined.state.renew(as: newWriter(), after: theirs, milliseconds: milliseconds)
    }
    joined.places.merge(held) { own, _ in own }
    let waiting = joined.state.waiting
    let result = joined.state.join(theirs) { joined.places[$0.digest] != nil }
    guard result.hasLearned || !changed.isEmpty || joined.state.waiting != waiting else { return result }
    changed.formUnion(result.changed)
    changed.formUnion(waiting.symmetricDifference(joined.state.waiting))
    try finish(MeshWriting(joined, changed: changed.union(result.waiting)), &mesh)
    return result
  }
}
