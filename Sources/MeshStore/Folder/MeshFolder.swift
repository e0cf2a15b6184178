internal import CPOSIX
package import SyncKit

/// The folder of a mesh on this device: `state`, `segments/ROOT`, `incoming`, and the lock.
///
/// Files appear whole: they are written under another name, synced, moved, and then their folder is synced.
package struct MeshFolder: Sendable {
  /// The absolute path.
  package let path: String
  /// Called at each failpoint.
  let reach: @Sendable (MeshFailpoint) throws(SyncError) -> Void

  package init(
    _ path: String,
    reach: @escaping @Sendable (MeshFailpoint) throws(SyncError) -> Void = { point throws(SyncError) in
      try point.reach()
    }
  ) {
    self.path = path
    self.reach = reach
  }

  var state: String { path + "/state" }
  var incoming: String { path + "/incoming" }
  var segments: String { path + "/segments" }

  func segment(_ root: MerkleRoot) -> String { "\(segments)/\(root)" }

  /// Creates the folders that are missing.
  func create() throws(SyncError) {
    let ends = path.indices.dropFirst().filter { path[$0] == "/" }
    for folder in ends.map({ String(path[..<$0]) }) + [path, segments, incoming] {
      if unsafe access(folder, F_OK) == 0 { continue }
      guard unsafe mkdir(folder, 0o700) == 0 || Self.errno == EEXIST else { throw Self.error("create", folder) }
    }
  }

  // MARK: Segments

  /// Writes a segment durably, unless it is there. Returns its name.
  func write(segment bytes: [UInt8]) throws(SyncError) -> SegmentName {
    let name = SegmentName(root: MerkleRoot(of: bytes), length: UInt64(bytes.count))
    guard size(of: name.root) != name.length else { return name }
    try reach(.segmentWriting)
    let temporary = "\(incoming)/\(name.root)"
    try Self.write(bytes, to: temporary)
    try reach(.segmentWritten)
    try Self.move(temporary, to: segment(name.root))
    try Self.sync(folder: segments)
    try reach(.segmentPublished)
    return name
  }

  /// Returns the size of a segment; nil if it is not there.
  func size(of root: MerkleRoot) -> UInt64? {
    var facts = stat()
    guard unsafe stat(segment(root), &facts) == 0 else { return nil }
    return UInt64(max(0, facts.st_size))
  }

  /// Returns when a segment was written, in seconds since 1970; nil if it is not there.
  func time(of root: MerkleRoot) -> Int64? {
    var facts = stat()
    guard unsafe stat(segment(root), &facts) == 0 else { return nil }
    #if canImport(Darwin)
      return Int64(facts.st_mtimespec.tv_sec)
    #else
      return Int64(facts.st_mtim.tv_sec)
    #endif
  }

  /// Reads a part of a segment. Throws `.notFound` if the segment is not there, and `.suspect` if it is too short.
  package func read(_ root: MerkleRoot, from offset: UInt64, count: Int) throws(SyncError) -> [UInt8] {
    let bytes = try Self.read(segment(root), from: offset, count: count)
    guard bytes.count == count else {
      throw SyncError(.suspect, "the segment \(root) is shorter than it was; it was damaged on this disk")
    }
    return bytes
  }

  /// Returns a whole segment; nil if it is not there.
  package func segment(_ name: SegmentName) throws(SyncError) -> [UInt8]? {
    guard size(of: name.root) == name.length else { return nil }
    return try read(name.root, from: 0, count: Int(name.length))
  }

  /// The roots of all segments.
  func segmentRoots() throws(SyncError) -> [MerkleRoot] {
    try Self.names(in: segments).compactMap { Digest(hexadecimal: $0).map { MerkleRoot($0) } }
  }

  func remove(segment root: MerkleRoot) throws(SyncError) {
    try reach(.segmentRemoving)
    guard unsafe unlink(segment(root)) == 0 || Self.errno == ENOENT else { throw Self.error("remove", segment(root)) }
    try reach(.segmentRemoved)
  }

  /// Removes what a killed process left behind.
  func clearIncoming() throws(SyncError) {
    for name in try Self.names(in: incoming) {
      guard unsafe unlink("\(incoming)/\(name)") == 0 || Self.errno == ENOENT else {
        throw Self.error("remove", "\(incoming)/\(name)")
      }
    }
  }

  // MARK: State

  /// Replaces the state durably. `bytes` gets the identity of the new file.
  func write(state bytes: (FileIdentity) -> [UInt8]) throws(SyncError) {
    try reach(.stateWriting)
    let temporary = "\(incoming)/state"
    let file = try Self.open(temporary, O_WRONLY | O_CREAT | O_TRUNC)
    defer { close(file) }
    try Self.write(bytes(try FileIdentity(of: file, temporary)), to: file, temporary)
    try reach(.stateWritten)
    try Self.move(temporary, to: state)
    try Self.sync(folder: path)
    try reach(.statePublished)
  }

  /// Returns the state and the identity of its file; nil if there is none.
  func readState() throws(SyncError) -> (bytes: [UInt8], identity: FileIdentity)? {
    let file: CInt
    do throws(SyncError) { file = try Self.open(state, O_RDONLY) } catch {
      if error.code == .notFound { return nil }
      throw error
    }
    defer { close(file) }
    let identity = try FileIdentity(of: file, state)
    return (try Self.read(file, state, from: 0, count: .max), identity)
  }

  /// The identity of the present state file; nil if there is none.
  var stateIdentity: FileIdentity? { FileIdentity(of: state) }
}
