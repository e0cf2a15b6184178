internal import CPOSIX
public import SyncKit

extension FileTree {
  /// Returns the identity of the root; throws `.notFound` if it does not exist.
  public func identity() async throws(SyncError) -> RootIdentity {
    let root = try openRoot()
    return try identity(of: root)
  }

  public func createRoot() async throws(SyncError) { _ = try await claim() }

  /// Creates the root if it is missing, provided that the tree may; the folder above it must exist. The identity is the root's
  /// device and inode.
  public func claim() async throws(SyncError) -> RootIdentity {
    if createsRoot { try makeRoot() } else { try requireRoot() }
    let identity = try await identity()
    state.meet(identity)
    return identity
  }

  /// Throws if the root is missing: a folder that is created where a disk is to be mounted would fill another one.
  func requireRoot() throws(SyncError) {
    do throws(SyncError) { _ = try openRoot() } catch {
      guard error.code == .notFound else { throw error }
      throw SyncError(
        .unavailable,
        "cannot use \(path): the folder does not exist. Mount its disk, or create the folder; with `create = true` in the "
          + "settings, syncd creates it")
    }
  }

  private func makeRoot() throws(SyncError) {
    try reach(.folderCreating)
    let status = unsafe mkdir(path, 0o777)
    let failure = Errno.current
    if status < 0, failure == .notFound {
      // Creating the parent folders as well could fill the mount point of a missing disk.
      throw SyncError(
        .unavailable, "cannot use \(path): the folder above it does not exist. Mount its disk, or create the folder")
    }
    if status < 0, failure != .exists { throw SyncError(failure, at: path) }
    try reach(.folderCreated)
  }

  /// Opens the root, whatever its identity.
  func openRoot() throws(SyncError) -> Folder {
    do throws(Errno) { return try Folder.root(at: path, isElsewhere: isElsewhere) } catch .notAFolder {
      throw SyncError(.wrongReplica, "\(path) is not a folder")
    } catch { throw SyncError(error, at: path) }
  }

  /// Opens the tree if its root is the one that was last listed: in the empty mount point of a missing disk every file would
  /// seem to be deleted.
  func open() throws(SyncError) -> OpenTree {
    let root = try openKnownRoot()
    let identity = try identity(of: root)
    guard state.knows(identity) else {
      throw SyncError(.wrongReplica, "\(path) was replaced by another folder during the pass")
    }
    return OpenTree(root, id: identity.id ?? "", of: self)
  }

  private func openKnownRoot() throws(SyncError) -> Folder {
    do throws(SyncError) { return try openRoot() } catch {
      guard error.code == .notFound else { throw error }
      let reason = state.hasMet ? "has disappeared during the pass" : "does not exist; mount its disk, or create it"
      throw SyncError(.wrongReplica, "the folder \(path) \(reason)", cause: error.cause)
    }
  }

  func identity(of root: Folder) throws(SyncError) -> RootIdentity {
    do throws(Errno) {
      let facts = try root.facts()
      let id = String(facts.device, radix: 16) + ":" + String(facts.inode, radix: 16)
      return RootIdentity(address: path, id: id)
    } catch { throw SyncError(error, at: path) }
  }
}
