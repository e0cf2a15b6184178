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
    /// The content at this path is provably not the one that belongs there. It is held until a person has decided.
    case suspect
    /// The replica cannot be reached for now.
    case unavailable
    /// Credentials were refused or have expired.
    case unauthorized
    /// The replica is not the one that was synced before, or has vanished. Nothing is changed until a person has decided.
    case wrongReplica
    /// There is no space left where something had to be written.
    case noSpace
    /// The archive is damaged.
    case damagedState
    /// The archive was written by another version of this program. Nothing was changed.
    case otherVersion
    /// Another process holds the lock.
    case locked
    /// The settings cannot be carried out.
    case invalidSettings
    /// The time budget is used up.
    case timedOut
    /// The pass was asked to stop.
    case cancelled
    /// Anything else.
    case unexpected
  }

  /// How far an error reaches, from the nearest to the farthest.
  public enum Reach: Comparable, Sendable {
    /// One path: the others are not concerned.
    case path
    /// One request: the next one may succeed. A storage that carries out many changes may return it as a path's result.
    case request
    /// The whole pass: every further request would fail, or must not be made. It is thrown.
    case pass
  }

  /// What the engine does about the error.
  public var code: Code
  /// What failed, where and why: one sentence for a person, without a full stop. It is one line without control characters,
  /// although servers word parts of it.
  public let message: String
  /// What the log shows in addition, in the same form.
  public let cause: String?
  private var given: Remedy?

  /// An error with the remedy that helps against it; where none is given, the remedy that follows from the code.
  public init(_ code: Code, _ message: String, cause: String? = nil, remedy: Remedy? = nil) {
    self.code = code
    self.message = message.printableLine
    self.cause = cause?.printableLine
    given = remedy
  }

  /// How far the error reaches: the one classification for the engine, its layers and all plugins.
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
  /// What a person can do about an error, as data: the program that shows the error says how, by a command or a button.
  public enum Remedy: Hashable, Sendable {
    /// Sign in to the remote; nil where the error does not know its name.
    case signIn(remote: String?)
    /// Encrypt the remote as the settings describe it, or decrypt it if they describe no encryption.
    case rekey(remote: String)
    /// Compare the fingerprint of the remote's key with another device, and accept the key.
    case trust(remote: String)
    /// Replace the file by its version before the last change.
    case restore(SyncPath)
    /// Probe the remote, which tells what is missing.
    case diagnose(remote: String)
    /// Run a pass, over this remote or, if nil, over all of them.
    case sync(remote: String?)
    /// Show what is held, with the ids by which a person approves it.
    case reviewHolds
    /// Move what the program remembers aside, so that the next pass unites both sides and deletes nothing.
    case moveStateAside
  }

  /// What a person can do about the error; nil if the message says it, or nothing helps but to wait.
  public var remedy: Remedy? { given ?? (code == .damagedState ? .moveStateAside : nil) }
}

extension SyncError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
