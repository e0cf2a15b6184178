import Foundation
import ProgramTesting
import SyncKit
import Testing

/// A folder for one test, and the programs that run in it.
final class Bench: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "seal-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  // What is left in the temporary folder harms nobody.
  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(filePath: path + "/" + name))
  }

  func read(_ name: String) -> [UInt8]? { FileManager.default.contents(atPath: path + "/" + name).map(Array.init) }

  /// Runs a program in the folder, which has to succeed.
  func succeed(_ words: [String]) async throws {
    let outcome = try await run(words)
    try #require(outcome.status == 0, "\(words): \(outcome.story)")
  }

  /// Runs a program in the folder.
  func run(_ words: [String]) async throws -> Outcome {
    var command = Command(words)
    command.folder = path
    command.environment["HOME"] = path
    return try await command.finish()
  }

  static func has(_ program: String) -> Bool {
    let isThere = ["/usr/bin", "/usr/local/bin", "/bin"].contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
    }
    if !isThere { print("*** SKIPPED: \(program) is not installed ***") }
    return isThere
  }
}

/// Bytes that look like nothing, and are the same each time.
func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var generator = SplitMix64(state: seed)
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count + 8)
  while bytes.count < count { bytes += littleEndian(generator.next()) }
  return Array(bytes.prefix(count))
}

private func littleEndian(_ word: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
