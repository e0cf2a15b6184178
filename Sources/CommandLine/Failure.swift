import ArgumentParser
import SyncDaemon
import SyncKit

/// Reports the error that ended a command on standard error, and returns an exit status.
enum Failure {
  /// - Parameter asDocument: true to print the error as a JSON document, too, unless the command has printed its own.
  static func report(_ error: any Error, asDocument: Bool) -> Int32 {
    let status = report(error)
    if asDocument, status != 0, !(error is ExitCode) { printDocument(of: error, status: status) }
    return status
  }

  private static func report(_ error: any Error) -> Int32 {
    switch error {
    case let error as SettingsError:
      Console.error("\(error)")
      return 8
    case let error as SyncError:
      Console.error("syncd: \(error.explanation)")
      return status(of: error)
    case let error as ExitCode:
      return error.rawValue
    case let error as ValidationError:
      Console.error("syncd: \(error.message)")
      return 2
    default:
      return parsing(error)
    }
  }

  /// Prints the document of an error, unless something was printed: standard output has one document.
  static func printDocument(of error: any Error, status: Int32) {
    guard !Console.hasPrinted else { return }
    let (code, message): (String, String) =
      switch error {
      case let error as SettingsError: (SyncError.Code.invalidSettings.rawValue, "\(error)")
      case let error as SyncError: (error.code.rawValue, error.explanation)
      case let error as ValidationError: ("usage", error.message)
      default: ("usage", RootCommand.message(for: error))
      }
    Console.print(
      json: [
        "version": 1, "error": .string(message.printable), "code": .string(code), "exit-status": .integer(Int(status)),
      ])
  }

  /// Returns the exit status for an error that ends the whole command.
  static func status(of error: SyncError) -> Int32 {
    switch error.code {
    case .invalidSettings: 8
    case .locked: 9
    case .damagedState, .otherVersion: 7
    case .notFound, .changedMeanwhile, .pathFailed, .noSpace: 4
    case .unavailable, .unauthorized, .wrongReplica, .suspect, .timedOut, .cancelled: PassResult(error).exitStatus
    case .unexpected: 1
    }
  }

  /// Returns the exit status of a command that ended with `status`: if its results could not be printed, it failed. A run does
  /// not need standard output.
  static func status(_ status: Int32, afterOutputOf command: (any ParsableCommand.Type)?) -> Int32 {
    guard let reason = Console.outputError(mayBeClosed: command == RootCommand.self) else { return status }
    Console.error("syncd: cannot write to standard output: \(reason)")
    if command == MergeFileCommand.self || command == MergeTreeCommand.self { return 2 }
    return worst(status, PassResult.failed.exitStatus)
  }

  /// Returns the exit status of two that takes precedence; one that is not a result of a pass comes first.
  static func worst(_ one: Int32, _ other: Int32) -> Int32 {
    let rising = PassResult.allCases.sorted().map(\.exitStatus)
    guard let first = rising.firstIndex(of: one) else { return one }
    guard let second = rising.firstIndex(of: other) else { return other }
    return rising[max(first, second)]
  }

  /// Reports an error of the command line parser: help and version succeed, everything else is wrong usage.
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
