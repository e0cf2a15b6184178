import Foundation
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
  func succeed(_ words: [String], environment: [String: String] = [:]) throws {
    let process = try run(words, environment: environment)
    try #require(process.status == 0, "\(words): \(process.output)")
  }

  /// Runs a program in the folder; gives its status and what it said.
  func run(_ words: [String], environment: [String: String] = [:]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = URL(filePath: path)
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
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
