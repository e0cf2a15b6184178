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

  /// The outcome of an effect that did not fail.
  enum Outcome {
    case done
    /// Nothing was changed: the new name is taken, the folder not empty.
    case taken
    /// Nothing was changed: what was to be moved is not there.
    case missing
    /// Nothing was changed: the file system has no such effect.
    case notSupported
  }

  /// Creates a file, readable by its owner only; nothing may have the name.
  func create(_ temporary: Temporary, beside location: FileLocation) throws(SyncError) -> Descriptor {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = try at(location.path) { () throws(Errno) in
      Descriptor(
        number: try retrying { unsafe posix_openat(location.folder.number, temporary.name.characters, flags, 0o600) })
    }
    try reach(.temporaryCreated)
    return file
  }

  /// Lets the file under the temporary name appear at its place, if the place is free.
  func publish(_ temporary: Temporary, at location: FileLocation) throws(SyncError) -> Outcome {
    try reach(.filePublishing)
    let outcome = try move(temporary, to: location)
    try reach(.filePublished)
    return outcome
  }

  /// Restores the name of what was moved aside, or chooses another free one.
  func moveBack(_ temporary: Temporary, to location: FileLocation) throws(SyncError) -> Outcome {
    try reach(.fileMovingBack)
    let outcome = try move(temporary, to: location)
    try reach(.fileMovedBack)
    return outcome
  }

  /// Swaps the file under the temporary name with what is at the place.
  func exchange(_ temporary: Temporary, with location: FileLocation) throws(SyncError) -> Outcome {
    try reach(.fileExchanging)
    let outcome = try swap(temporary, with: location)
    try reach(.fileExchanged)
    return outcome
  }

  /// Undoes an exchange.
  func exchangeBack(_ temporary: Temporary, with location: FileLocation) throws(SyncError) -> Outcome {
    try reach(.fileExchangingBack)
    let outcome = try swap(temporary, with: location)
    try reach(.fileExchangedBack)
    return outcome
  }

  /// Moves what is at the place to the temporary name, which must be new.
  ///
  /// Where the file system cannot move without replacing, a plain move is as good: no other process chooses the name.
  func moveAway(from location: FileLocation, to temporary: Temporary) throws(SyncError) -> Outcome {
    try reach(.fileMovingAway)
    let (folder, name) = (location.folder.number, location.name.characters)
    var outcome = try ifModern(location.path) { unsafe posix_move(folder, name, temporary.name.characters) }
    if outcome == .notSupported {
      outcome = try Self.outcome(at: location.path) {
        unsafe renameat(folder, name, folder, temporary.name.characters)
      }
    }
    try reach(.fileMovedAway)
    return outcome
  }

  /// Unlinks a temporary; an empty folder of such a name is removed.
  func discard(_ temporary: Temporary, beside location: FileLocation) throws(SyncError) -> Outcome {
    try reach(.temporaryDiscarding)
    let (folder, name) = (location.folder.number, temporary.name.characters)
    let isFolder = (try? location.folder.facts(of: temporary.name).kind) == .folder
    let outcome = try Self.outcome(at: location.path) { unsafe unlinkat(folder, name, isFolder ? AT_REMOVEDIR : 0) }
    try reach(.temporaryDiscarded)
    return outcome
  }

  /// Creates a folder; one that is there already is as good.
  func createFolder(_ location: FileLocation) throws(SyncError) -> Outcome {
    try reach(.folderCreating)
    let outcome = try Self.outcome(at: location.path) {
      unsafe mkdirat(location.folder.number, location.name.characters, 0o777)
    }
    try reach(.folderCreated)
    return outcome
  }

  /// Removes a folder if it is empty.
  func removeFolder(_ location: FileLocation) throws(SyncError) -> Outcome {
    try reach(.folderRemoving)
    let outcome = try Self.outcome(at: location.path) {
      unsafe unlinkat(location.folder.number, location.name.characters, AT_REMOVEDIR)
    }
    try reach(.folderRemoved)
    return outcome
  }
}

extension Primitives {
  private func swap(_ temporary: Temporary, with location: FileLocation) throws(SyncError) -> Outcome {
    try ifModern(location.path) {
      unsafe posix_exchange(location.folder.number, temporary.name.characters, location.name.characters)
    }
  }

  /// Where the file system cannot move without replacing, the file gets its new name as a second one, which fails if
  /// the name is taken, and then loses the temporary one.
  private func move(_ temporary: Temporary, to location: FileLocation) throws(SyncError) -> Outcome {
    let (folder, from, to) = (location.folder.number, temporary.name.characters, location.name.characters)
    let outcome = try ifModern(location.path) { unsafe posix_move(folder, from, to) }
    guard outcome == .notSupported else { return outcome }
    let linked = try Self.outcome(at: location.path) { unsafe linkat(folder, from, folder, to, 0) }
    guard linked == .done else { return linked }
    return try Self.outcome(at: location.path) { unsafe unlinkat(folder, from, 0) }
  }

  private func ifModern(_ path: SyncPath, _ call: () -> CInt) throws(SyncError) -> Outcome {
    isModern ? try Self.outcome(at: path, call) : .notSupported
  }

  private static func outcome(at path: SyncPath, _ call: () -> CInt) throws(SyncError) -> Outcome {
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
