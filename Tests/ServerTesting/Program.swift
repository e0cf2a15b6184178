import Foundation
import ProgramTesting
import Synchronization

#if canImport(Glibc)
  public import Glibc
#else
  public import Darwin
#endif

/// A program that was built with the tests, or is installed. Tests can read its output while it runs, and write to its input.
/// It is ended with its owner.
public final class Program: Sendable {
  private let running: Running
  private let input: CInt
  private let status = Mutex<Int32?>(nil)

  public init(_ path: String, _ words: [String], environment: [String: String] = [:]) throws {
    var ends: [CInt] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw TestFailure("cannot create a pipe for \(path)") }
    defer { close(ends[0]) }
    input = ends[1]
    _ = fcntl(input, F_SETFD, FD_CLOEXEC)
    var command = Command([path] + words)
    command.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    command.input = ends[0]
    running = try command.start()
  }

  deinit {
    if status.withLock({ $0 }) == nil {
      running.kill()
      _ = try? running.wait()
    }
    running.removeOutput()
    close(input)
  }

  /// The output so far, standard output and standard error.
  public var text: String { running.text + running.errors }

  public func type(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(input, $0.baseAddress, $0.count) }
  }

  public func end(by signal: Int32 = SIGTERM) { running.kill(signal) }

  /// Waits for output that matches the pattern, and returns the match.
  public func wait(for pattern: Regex<(Substring, Substring)>) async throws -> String {
    for _ in 0..<60_000 {
      let hasEnded = exitStatus() != nil
      if let match = try pattern.firstMatch(in: text) { return String(match.1) }
      guard !hasEnded else { break }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw TestFailure("the program did not print the expected text, but:\n\(text)")
  }

  /// Waits for its end; returns its status.
  public func wait() async throws -> Int32 {
    for _ in 0..<60_000 {
      if let status = exitStatus() { return status }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw TestFailure("the program did not end:\n\(text)")
  }

  private func exitStatus() -> Int32? {
    status.withLock { status in
      var word: CInt = 0
      if status == nil, unsafe waitpid(running.id, &word, WNOHANG) == running.id {
        status = word & 0x7F == 0 ? word >> 8 & 0xFF : 128 + word & 0x7F
      }
      return status
    }
  }
}
