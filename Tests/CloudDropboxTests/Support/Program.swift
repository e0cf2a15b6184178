import Foundation
import Synchronization

/// A program that was built with the tests, or is installed; its output is read while it runs.
final class Program: Sendable {
  private let process: Process
  private let output: Output
  private let input = Pipe()

  /// What it has printed so far, on both of its outputs.
  private final class Output: Sendable {
    let text = Mutex("")
    let hasEnded = Mutex(false)
  }

  /// Where the programs are that were built with the tests.
  static func built(_ name: String) -> String {
    var folder = URL(filePath: CommandLine.arguments[0]).standardizedFileURL
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let candidate = folder.appending(path: name).path
      if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
    }
    return name
  }

  init(_ path: String, _ words: [String], environment: [String: String] = [:]) throws {
    let output = Output()
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = words
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let pipe = Pipe()
    process.standardInput = input
    process.standardOutput = pipe
    process.standardError = pipe
    pipe.fileHandleForReading.readabilityHandler = { @Sendable handle in
      let data = handle.availableData
      if data.isEmpty {
        handle.readabilityHandler = nil
        output.hasEnded.withLock { $0 = true }
      }
      output.text.withLock { $0 += String(decoding: data, as: UTF8.self) }
    }
    try process.run()
    self.process = process
    self.output = output
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  var text: String { output.text.withLock { $0 } }

  func type(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

  func end(by signal: Int32 = SIGTERM) { kill(process.processIdentifier, signal) }

  /// Waits until it prints something of this form, and gives that.
  func wait(for pattern: Regex<(Substring, Substring)>) async throws -> String {
    for _ in 0..<6_000 {
      if let match = try pattern.firstMatch(in: text) { return String(match.1) }
      guard process.isRunning else { break }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw Trouble("the program did not say what was waited for, but:\n\(text)")
  }

  /// Waits until all output was read; not for ever, because others that were started meanwhile may hold the pipe open.
  private func waitForOutput() async {
    for _ in 0..<50 where !output.hasEnded.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(10)) }
  }

  /// Waits for its end; gives its status.
  func wait() async throws -> Int32 {
    for _ in 0..<18_000 {
      if !process.isRunning {
        await waitForOutput()
        return process.terminationStatus
      }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw Trouble("the program did not come to an end:\n\(text)")
  }
}
