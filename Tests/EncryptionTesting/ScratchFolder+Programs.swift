import Foundation
public import ProgramTesting
import Testing

extension ScratchFolder {
  public func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(filePath: path + "/" + name))
  }

  public func read(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path + "/" + name).map(Array.init)
  }

  /// Runs a program in the folder, and requires success.
  public func succeed(_ arguments: [String]) async throws {
    let outcome = try await run(arguments)
    try #require(outcome.status == 0, "\(arguments): \(outcome.story)")
  }

  /// Runs a program in the folder.
  public func run(_ arguments: [String]) async throws -> Outcome {
    var command = Command(arguments)
    command.folder = path
    command.environment["HOME"] = path
    return try await command.finish()
  }

  /// Returns true if a program is installed; prints a message otherwise.
  public static func has(_ program: String) -> Bool {
    let isThere = ["/usr/bin", "/usr/local/bin", "/bin"].contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
    }
    if !isThere { print("*** SKIPPED: \(program) is not installed ***") }
    return isThere
  }
}
