/// The one error of the framework: a code that decides what happens next, a sentence for the person, a cause for the log.
public struct SyncError: Error, Sendable {
  /// A closed set, because each code is a decision of the engine.
  public enum Code: String, Sendable, CaseIterable {
    /// The path is not there.
    case notFound
    /// A condition did not hold: somebody else was faster.
    case changedMeanwhile
    /// This path cannot be read or written now: permissions, a special file, a name the replica cannot hold.
    case pathFailed
    /// What is at this path is not what belongs there, as far as can be proved: nothing is done with it until a person has
    /// looked.
    case suspect
    /// The replica cannot be reached for now.
    case unavailable
    /// Credentials were refused or have expired.
    case unauthorized
    /// The replica is not the one we know, or has vanished: nothing is done with it until a person has looked.
    case wrongReplica
    /// There is no space left where something had to be written.
    case noSpace
    /// The archive is damaged.
    case damagedState
    /// The archive was written by another version of this program. Nothing was touched.
    case otherVersion
    /// Another instance is at work.
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

  /// How far the trouble reaches.
  public enum Reach: Sendable {
    /// This path; the others go on.
    case path
    /// This remote; the others go on.
    case remote
    /// This machine; everything stops.
    case machine
  }

  public var code: Code
  /// What went wrong, where, and what can be done: one sentence without jargon.
  public var message: String
  /// What the log should know besides.
  public var cause: String?

  public init(_ code: Code, _ message: String, cause: String? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  public var reach: Reach {
    switch code {
    case .notFound, .changedMeanwhile, .pathFailed, .suspect: .path
    case .unavailable, .unauthorized, .wrongReplica, .invalidSettings, .timedOut, .cancelled, .unexpected: .remote
    case .noSpace, .damagedState, .otherVersion, .locked: .machine
    }
  }
}

extension SyncError {
  /// The same with what a person can do about it: damage is nothing that the next pass could mend.
  public var withRepair: SyncError {
    guard code == .damagedState else { return self }
    var error = self
    error.message += "; " + Self.repair(of: "the state folder")
    return error
  }

  /// What a person can do about an archive that is damaged.
  public static func repair(of folder: String) -> String {
    "move \(folder) aside and run again: both sides are then united and nothing is deleted"
  }
}

extension SyncError: CustomStringConvertible {
  public var description: String { message }
}
