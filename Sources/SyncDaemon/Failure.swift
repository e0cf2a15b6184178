import ArgumentParser
import SyncKit

/// Turns whatever ended a command into words on standard error and an exit status.
enum Failure {
  static func report(_ error: any Error) -> Int32 {
    switch error {
    case let error as SettingsError:
      Console.error("\(error)")
      return 8
    case let error as SyncError:
      Console.error("syncd: \(error.message)")
      return status(of: error)
    case let error as ExitCode:
      return error.rawValue
    default:
      return parsing(error)
    }
  }

  /// The exit status that an error has when it ends the whole command.
  static func status(of error: SyncError) -> Int32 {
    switch error.code {
    case .invalidSettings: 8
    case .locked: 9
    case .damagedState: 7
    case .notFound, .changedMeanwhile, .pathFailed, .noSpace: 4
    case .unavailable, .unauthorized, .wrongReplica, .suspect, .timedOut, .cancelled: PassResult(error).exitStatus
    case .unexpected: 1
    }
  }

  /// What the parser of the command line throws: help and version are no failure, everything else is wrong usage.
  private static func parsing(_ error: any Error) -> Int32 {
    let code = RootCommand.exitCode(for: error)
    let message = RootCommand.fullMessage(for: error)
    if code.isSuccess {
      Console.print(message)
      return 0
    }
    Console.error(message)
    return code == .validationFailure ? 2 : 1
  }
}
