import MeshState
import SyncKit

extension MeshReplica {
  /// Returns the stored state, read again if another handle has written it; a new one if there is none.
  func load() throws(SyncError) -> StoredMesh {
    if let loaded, loaded.file == folder.stateIdentity { return loaded.mesh }
    guard let (bytes, file) = try folder.readState() else {
      let mesh = StoredMesh(writer: newWriter(), creation: newWriter().id)
      loaded = (mesh, nil, false)
      return mesh
    }
    do throws(FormatError) {
      var (mesh, written) = try StoredMesh.parse(bytes, secret)
      // A file that is not the one that was written was restored from a backup or copied from another device.
      if written != file { mesh.state.renew(as: newWriter()) }
      loaded = (mesh, file, written == file)
      return mesh
    } catch {
      throw SyncError(
        .damagedState,
        "cannot read the state of the mesh in \(folder.state): \(error.reason). Move it away and run again: both sides are then merged, and nothing is deleted"
      )
    }
  }

  func newWriter() -> Writer { Writer(id: runtime.random(8).reduce(0) { $0 << 8 | UInt64($1) }) }

  /// Runs `body` with the present state, while no other handle writes.
  func change(_ body: (inout StoredMesh) throws(SyncError) -> Void) async throws(SyncError) {
    var lock = try FolderLock(folder)
    for _ in 0..<Self.attempts where lock == nil {
      do { try await runtime.sleep(.milliseconds(20)) } catch { throw SyncError(.cancelled, "the pass was stopped") }
      lock = try FolderLock(folder)
    }
    guard lock != nil else { throw SyncError(.locked, "another process uses \(folder.path)") }
    defer { lock = nil }
    var mesh = try load()
    do throws(SyncError) { try body(&mesh) } catch {
      // What is on the disk counts.
      loaded = nil
      throw error
    }
  }

  /// A write takes less than a second; this is half a minute.
  private static let attempts = 1_500

  func save(_ mesh: StoredMesh) throws(SyncError) {
    let salt = runtime.random(16)
    try folder.write { identity in mesh.bytes(identity, secret, salt: salt) }
    loaded = (mesh, folder.stateIdentity, true)
  }

  /// Removes the segments that nothing has named for some time.
  func removeUnused(_ mesh: StoredMesh) throws(SyncError) {
    let used = tablesOfOthers.values.reduce(mesh.segments.union(arriving)) { $0.union($1) }
    let latest = runtime.now().seconds - retention.components.seconds
    for root in try folder.segmentRoots() where !used.contains(root) {
      if let written = folder.time(of: root), written <= latest { try folder.remove(segment: root) }
    }
  }
}
