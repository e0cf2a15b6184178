package import MeshState
package import SyncKit

/// What a device shows another one: its head, and the segments that the head leads to.
package struct MeshOffer: Sendable {
  package var head: MeshHead
  /// Returns a segment; nil if it is unavailable now.
  package var segment: @Sendable (SegmentName) async throws(SyncError) -> [UInt8]?

  package init(
    head: MeshHead, segment: @escaping @Sendable (SegmentName) async throws(SyncError) -> [UInt8]?
  ) {
    self.head = head
    self.segment = segment
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
      return MeshState.JoinResult(waiting: own.state.waiting)
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
    var (tables, places): ([MeshTable], [Digest: BlobPlace]) = ([], [:])
    for name in offer.head.tables {
      guard let bytes = try await segment(name.segment, offer) else { return nil }
      let table: MeshTable
      do throws(FormatError) {
        guard let found = try Segment.table(bytes, secret) else { throw FormatError("it has no table") }
        table = found
      } catch { throw Self.suspect(offer, "its segment \(name.segment.root)", error.reason) }
      for (digest, place) in table.places {
        places[digest] = BlobPlace(
          segment: place.segment ?? name.segment, offset: place.offset + (place.segment == nil ? name.end : 0),
          length: place.length)
      }
      tables.append(table)
    }
    guard tables.first?.isWhole ?? true else { throw Self.suspect(offer, "its head", "no table has all paths") }
    let state = MeshState(offer.head.writer, offer.head.context, tables)
    guard state.digest == offer.head.state else {
      throw Self.suspect(offer, "its head", "the tables describe another state")
    }
    return (state, places)
  }

  private static func suspect(_ offer: MeshOffer, _ what: String, _ reason: String) -> SyncError {
    SyncError(.suspect, "the device \(offer.head.device) sent something else than it announced: \(what): \(reason)")
  }

  /// Returns a segment from this folder, or fetches it and verifies its root.
  private func segment(_ name: SegmentName, _ offer: MeshOffer) async throws(SyncError) -> [UInt8]? {
    if let bytes = try folder.segment(name) { return bytes }
    guard let bytes = try await offer.segment(name) else { return nil }
    guard UInt64(bytes.count) == name.length, MerkleRoot(of: bytes) == name.root else {
      throw Self.suspect(offer, "the segment \(name.root)", "it has another hash")
    }
    return bytes
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
    for (name, contents) in wanted.sorted(by: { ($0.key.length, $0.key.root) < ($1.key.length, $1.key.root) }) {
      guard let bytes = try await segment(name, offer) else { continue }
      arriving.insert(name.root)
      try await change { _ throws(SyncError) in _ = try folder.write(segment: bytes) }
      for (digest, place) in contents where isIntact(place, digest, in: bytes) { held[digest] = place }
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
