internal import CPOSIX
internal import SyncKit

/// All effects of this program on a tree of files. Nothing else creates, moves, unlinks or truncates files in one.
///
/// None of them can overwrite: a file that gets a user's name either finds it free or is moved out again by exchange, and only
/// temporaries are unlinked.
struct Primitives: Sendable {
  let reach: @Sendable (TreeFailpoint) throws(SyncError) -> Void
  /// True to use features that only newer file systems have; a test sets false to simulate an older one.
  var isModern = true

  /// The result of an effect that did not fail.
  enum Outcome {
    case done
    /// Nothing was changed: the new name exists, or the folder is not empty.
    case taken
    /// Nothing was changed: the file to move does not exist.
    case missing
    /// Nothing was changed: the file system does not support the effect.
    case notSupported
  }

  /// Creates a file; the name must be free. The mask of the process applies to `mode`.
  func create(_ temporary: Temporary, beside location: FileLocation, mode: mode_t) throws(SyncError) -> Descriptor {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = try at(location.path) { () throws(Errno) in
      Descriptor(
        number: try retrying { unsafe posix_openat(location.folder.number, temporary.name.characters, flags, mode) })
    }
    try reach(.temporaryCreated)
    return file
  }

  /// Gives up the content of a file that was just created, and with it the space that it takes; does nothing if the system refuses.
  func empty(_ file: borrowing Descriptor) { _ = try? retrying { ftruncate(file.number, 0) } }

  /// Gives a file the temporary name as well, which must be free. Returns `.notSupported` if the system refuses it for any reason,
  /// such as another file system, one without links, or the rights to the file.
  func link(_ old: FileLocation, to temporary: Temporary, beside location: FileLocation) throws(SyncError) -> Outcome {
    var outcome = Outcome.done
    do throws(Errno) {
      try once {
        unsafe linkat(
          old.folder.number, old.name.characters, location.folder.number, temporary.name.characters, 0)
      }
    } catch { outcome = .notSupported }
    try reach(.temporaryCreated)
    return outcome
  }

  /// Moves the temporary to its path, if that is free.
  func publish(_ temporary: Temporary, at location: FileLocation) throws(SyncError) -> Outcome {
    try reach(.filePublishing)
    let outcome = try move(temporary, to: location)
    try reach(.filePublished)
    return outcome
  }

  /// Moves a file that was moved aside back to its name, or to another free one.
  func moveBack(_ temporary: Temporary, to location: FileLocation) throws(SyncError) -> Outcome {
    try reach(.fileMovingBack)
    let outcome = try move(temporary, to: location)
    try reach(.fileMovedBack)
    return outcome
  }

  /// Exchanges the temporary with the file at the location.
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

  /// Moves the file at the location to the temporary name, which must be new.
  ///
  /// If the file system cannot move without replacing, a plain move is as good: no other process chooses the name.
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

  /// Unlinks a temporary; removes an empty folder with such a name.
  func discard(_ temporary: Temporary, beside location: FileLocation) throws(SyncError) -> Outcome {
    try reach(.temporaryDiscarding)
    let (folder, name) = (location.folder.number, temporary.name.characters)
    let isFolder = (try? location.folder.facts(of: temporary.name).kind) == .folder
    let outcome = try Self.outcome(at: location.path) { unsafe unlinkat(folder, name, isFolder ? AT_REMOVEDIR : 0) }
    try reach(.temporaryDiscarded)
    return outcome
  }

  /// Creates a folder; succeeds if it exists.
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

  /// Moves a temporary without replacing. If the file system cannot do that, the file gets its new name as a second link, which
  /// fails if the name exists, and then loses the temporary one.
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
