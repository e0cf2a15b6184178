import ArchiveSQLite
import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The store that a state folder belongs to. With the files of another store, everything in it would be wrong, and each run would
/// take the last one for the loss of all files.
struct StateOwner: Equatable {
  /// The path of the store, without links.
  var store: String
  /// The settings file that named the store, without links.
  var settings: String
  /// The path of the state folder, without links: a copy of everything elsewhere belongs to the copied store.
  var state: String

  init?(_ configuration: DaemonConfiguration) {
    guard let root = configuration.store.place else { return nil }
    (store, settings) = (FolderNames.resolved(root), FolderNames.resolved(configuration.file))
    state = FolderNames.resolved(configuration.stateFolder)
  }

  /// Reads the text of the file `store` in a state folder; nil if it is something else.
  init?(_ text: [UInt8]) {
    let parts = text.split(separator: 0, omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    let paths = parts.map { String(decoding: $0, as: UTF8.self) }
    (store, settings, state) = (paths[0], paths[1], paths[2])
  }

  var text: [UInt8] { [store, settings, state].flatMap { Array($0.utf8) + [0] } }

  /// Returns true if `other` is this store, this settings file, whose store may have moved, or the owner of a copy.
  func isSame(as other: StateOwner) -> Bool {
    store == other.store || settings == other.settings || state != other.state
  }
}

extension StateFolder {
  private var ownerFile: String { file("store") }

  private var owner: StateOwner? {
    (try? StateFile(ownerFile, O_RDONLY).read(atMost: 1 << 16)).flatMap(StateOwner.init)
  }

  /// Throws if the folder belongs to the store of another settings file that still exists.
  func refuseOtherStore(than configuration: DaemonConfiguration) throws(SyncError) {
    guard let new = StateOwner(configuration), let owner, !owner.isSame(as: new), LocalFile.exists(owner.settings)
    else {
      return
    }
    throw SyncError(
      .invalidSettings,
      "the state folder \(path) belongs to the store \(owner.store) of \(owner.settings), not to \(new.store) of \(new.settings); "
        + "nothing was done. Set `state` in [syncd] of \(new.settings) to another folder. If the other settings file does not use "
        + "this state folder, remove \(ownerFile)")
  }

  /// Records whose folder it is from now on.
  func recordOwner(_ configuration: DaemonConfiguration) throws(SyncError) {
    guard let new = StateOwner(configuration), owner != new else { return }
    // A second settings file of the same store takes nothing over.
    if let owner, owner.store == new.store, owner.state == new.state, LocalFile.exists(owner.settings) { return }
    try StateFile.replace(ownerFile, with: new.text)
  }
}
