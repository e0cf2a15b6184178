/// The only error type of the framework: a code that decides what happens next, a message for users, the user's remedy, and a
/// cause for the log.
public struct SyncError: Error, Sendable {
  /// A closed set, because each code is a decision of the engine.
  public enum Code: String, Sendable, CaseIterable {
    /// The path does not exist.
    case notFound
    /// A condition did not hold: another writer was faster.
    case changedMeanwhile
    /// This path cannot be read or written now: permissions, a special file, a name that the replica cannot hold.
    case pathFailed
    /// The content at this path is provably not the one that belongs there. It is held until a user has decided.
    case suspect
    /// The replica cannot be reached for now.
    case unavailable
    /// Credentials were refused or have expired.
    case unauthorized
    /// The replica is not the one that was synced before, or has vanished. Nothing is changed until a user has decided.
    case wrongReplica
    /// The disk or the remote is full.
    case noSpace
    /// The archive is damaged.
    case damagedState
    /// The archive was written by another version of this program. Nothing was changed.
    case otherVersion
    /// Another process holds the lock.
    case locked
    /// The settings cannot be applied.
    case invalidSettings
    /// The time limit was reached.
    case timedOut
    /// The pass was asked to stop.
    case cancelled
    /// Anything else.
    case unexpected
  }

  /// The scope of an error, from the smallest to the largest.
  public enum Reach: Comparable, Sendable {
    /// One path: the others are not affected.
    case path
    /// One request: the next one may succeed. A storage that makes many changes may return it as a path's result.
    case request
    /// The whole pass: every further request would fail, or must not be made. It is thrown.
    case pass
  }

  /// The code, which determines the engine's reaction.
  public var code: Code
  /// The failure, its place and its cause: one sentence for users, without a full stop. It is one line without control
  /// characters, although parts of it may come from servers.
  public let message: String
  /// The additional text for the log, in the same form.
  public let cause: String?
  /// The content that a storage has instead of the one that it was sent; nil for all other errors.
  public var found: Digest?
  private var given: Remedy?

  /// Creates an error with its remedy; without one, the remedy follows from the code.
  public init(_ code: Code, _ message: String, cause: String? = nil, remedy: Remedy? = nil) {
    self.code = code
    self.message = message.printableLine
    self.cause = cause?.printableLine
    given = remedy
  }

  /// The scope of the error: the only classification for the engine, its layers and all plugins.
  public var reach: Reach {
    switch code {
    case .notFound, .changedMeanwhile, .pathFailed, .suspect: .path
    case .unavailable, .unexpected: .request
    case .unauthorized, .wrongReplica, .noSpace, .damagedState, .otherVersion, .locked, .invalidSettings, .timedOut,
      .cancelled:
      .pass
    }
  }
}

extension SyncError {
  /// The user's way to fix an error, as data: the program that shows the error formats it as a command or a button.
  public enum Remedy: Hashable, Sendable {
    /// Sign in to the remote; nil if the error does not know its name.
    case signIn(remote: String?)
    /// Encrypt the remote as the settings describe it, or decrypt it if they describe no encryption.
    case rekey(remote: String)
    /// Compare the fingerprint of the remote's key with another device, and accept the key.
    case trust(remote: String)
    /// Forget what was agreed with the remote, because another folder is in its place on purpose.
    case reset(remote: String)
    /// Replace the file by its version before the last change.
    case restore(SyncPath)
    /// Probe the remote, which shows what is missing.
    case diagnose(remote: String)
    /// Run a pass with this remote or, if nil, with all of them.
    case sync(remote: String?)
    /// Show the held deletions, with the ids for approving them.
    case reviewHolds
    /// Restore the damaged store from what is left of it, from the history and from its last copy; the next pass fetches the rest.
    case repairStore
    /// Move the program's state aside, so that the next pass unites both sides and deletes nothing.
    case moveStateAside
  }

  /// The user's way to fix the error; nil if the message contains it, or waiting is the only one.
  public var remedy: Remedy? { given ?? (code == .damagedState ? .moveStateAside : nil) }
}

extension SyncError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
