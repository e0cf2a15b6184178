internal import CPOSIX
internal import SyncKit

/// Everything that this program does to a tree of files. Nothing else creates, moves, unlinks or truncates in one.
///
/// None of them can overwrite: what gets a user's name finds it free or comes out again by exchange, and what is
/// unlinked has the name of a temporary.
struct Primitives: Sendable {
  let reach: @Sendable (TreeFailpoint) throws(SyncError) -> Void
  /// True to use what only newer file systems have; a test sets false to simulate an older one.
  var isModern = true

  /// How an effect ended that did not fail.
  enum Ending {
    case done
    /// Nothing was changed: the new name is taken, the folder not empty.
    case taken
    /// Nothing was changed: what was to be moved is not there.
    case missing
    /// Nothing was changed: the file system has no such effect.
    case notSupported
  }

  /// Creates a file, readable by its owner only; nothing may have the name.
  func create(_ temporary: Temporary, beside place: Place) throws(SyncError) -> Descriptor {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = try at(place.path) { () throws(Errno) in
      Descriptor(
        number: try retrying { unsafe posix_openat(place.folder.number, temporary.name.characters, flags, 0o600) })
    }
    try reach(.temporaryCreated)
    return file
  }

  /// Lets the file under the temporary name appear at its place, if the place is free.
  func publish(_ temporary: Temporary, at place: Place) throws(SyncError) -> Ending {
    try reach(.filePublishing)
    let ending = try move(temporary, to: place)
    try reach(.filePublished)
    return ending
  }

  /// Restores the name of what was moved aside, or chooses another free one.
  func moveBack(_ temporary: Temporary, to place: Place) throws(SyncError) -> Ending {
    try reach(.fileMovingBack)
    let ending = try move(temporary, to: place)
    try reach(.fileMovedBack)
    return ending
  }

  /// Swaps the file under the temporary name with what is at the place.
  func exchange(_ temporary: Temporary, with place: Place) throws(SyncError) -> Ending {
    try reach(.fileExchanging)
    let ending = try swap(temporary, with: place)
    try reach(.fileExchanged)
    return ending
  }

  /// Undoes an exchange.
  func exchangeBack(_ temporary: Temporary, with place: Place) throws(SyncError) -> Ending {
    try reach(.fileExchangingBack)
    let ending = try swap(temporary, with: place)
    try reach(.fileExchangedBack)
    return ending
  }

  /// Moves what is at the place to the temporary name, which must be new.
  ///
  /// Where the file system cannot move without replacing, a plain move is as good: no other process chooses the name.
  func moveAway(from place: Place, to temporary: Temporary) throws(SyncError) -> Ending {
    try reach(.fileMovingAway)
    let (folder, name) = (place.folder.number, place.name.characters)
    var ending = try ifModern(place.path) { unsafe posix_move(folder, name, temporary.name.characters) }
    if ending == .notSupported {
      ending = try Self.ending(at: place.path) {
        unsafe renameat(folder, name, folder, temporary.name.characters)
      }
    }
    try reach(.fileMovedAway)
    return ending
  }

  /// Unlinks a temporary; an empty folder of such a name is removed.
  func discard(_ temporary: Temporary, beside place: Place) throws(SyncError) -> Ending {
    try reach(.temporaryDiscarding)
    let (folder, name) = (place.folder.number, temporary.name.characters)
    let isFolder = (try? place.folder.facts(of: temporary.name).kind) == .folder
    let ending = try Self.ending(at: place.path) { unsafe unlinkat(folder, name, isFolder ? AT_REMOVEDIR : 0) }
    try reach(.temporaryDiscarded)
    return ending
  }

  /// Creates a folder; one that is there already is as good.
  func createFolder(_ place: Place) throws(SyncError) -> Ending {
    try reach(.folderCreating)
    let ending = try Self.ending(at: place.path) { unsafe mkdirat(place.folder.number, place.name.characters, 0o777) }
    try reach(.folderCreated)
    return ending
  }

  /// Removes a folder if it is empty.
  func removeFolder(_ place: Place) throws(SyncError) -> Ending {
    try reach(.folderRemoving)
    let ending = try Self.ending(at: place.path) {
      unsafe unlinkat(place.folder.number, place.name.characters, AT_REMOVEDIR)
    }
    try reach(.folderRemoved)
    return ending
  }
}

extension Primitives {
  private func swap(_ temporary: Temporary, with place: Place) throws(SyncError) -> Ending {
    try ifModern(place.path) {
      unsafe posix_exchange(place.folder.number, temporary.name.characters, place.name.characters)
    }
  }

  /// Where the file system cannot move without replacing, the file gets its new name as a second one, which fails if
  /// the name is taken, and then loses the temporary one.
  private func move(_ temporary: Temporary, to place: Place) throws(SyncError) -> Ending {
    let (folder, from, to) = (place.folder.number, temporary.name.characters, place.name.characters)
    let ending = try ifModern(place.path) { unsafe posix_move(folder, from, to) }
    guard ending == .notSupported else { return ending }
    let linked = try Self.ending(at: place.path) { unsafe linkat(folder, from, folder, to, 0) }
    guard linked == .done else { return linked }
    return try Self.ending(at: place.path) { unsafe unlinkat(folder, from, 0) }
  }

  private func ifModern(_ path: SyncPath, _ call: () -> CInt) throws(SyncError) -> Ending {
    isModern ? try Self.ending(at: path, call) : .notSupported
  }

  private static func ending(at path: SyncPath, _ call: () -> CInt) throws(SyncError) -> Ending {
    do throws(Errno) {
      try retrying(call)
      return .done
    } catch {
      switch error {
      case .exists, .notEmpty: return .taken
      case .notFound: return .missing
      case .notSupported, .noSuchCall: return .notSupported
      default: throw SyncError(error, at: path)
      }
    }
  }
}
