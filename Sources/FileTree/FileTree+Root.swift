internal import CPOSIX
public import SyncKit

extension FileTree {
  /// The identity of the root; throws `.notFound` if it is not there.
  public func identity() async throws(SyncError) -> RootIdentity {
    let root = try openRoot()
    return try identity(of: root)
  }

  public func createRoot() async throws(SyncError) { _ = try await claim() }

  /// Creates the root if it is missing; the folder above it must exist. The identity is the root's device and inode.
  public func claim() async throws(SyncError) -> RootIdentity {
    try reach(.folderCreating)
    let status = unsafe mkdir(path, 0o777)
    let failure = Errno.current
    if status < 0, failure == .notFound {
      // To make the folders above as well could fill the place where a disk is to be mounted.
      throw SyncError(
        .unavailable, "cannot use \(path): the folder above it does not exist. Mount its disk, or create the folder")
    }
    if status < 0, failure != .exists { throw SyncError(failure, at: path) }
    try reach(.folderCreated)
    let identity = try await identity()
    state.meet(identity)
    return identity
  }

  /// The root, whichever it is.
  func openRoot() throws(SyncError) -> Folder {
    do throws(Errno) { return try Folder.root(at: path) } catch .notAFolder {
      throw SyncError(.wrongReplica, "\(path) is not a folder")
    } catch { throw SyncError(error, at: path) }
  }

  /// The tree, provided that its root is the one that was last listed: on the empty mount point of another disk every
  /// file would seem to be gone.
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
