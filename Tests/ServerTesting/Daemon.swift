import Foundation
import ProgramTesting

/// A program in Python that serves on a loopback port while tests run. It ends with its owner, and with the tests.
public final class Daemon: Sendable {
  private let id: pid_t
  /// The first lines that it printed.
  public let lines: [String]

  private static let launcher = """
    python3 "${@:2}" >"$1" 2>/dev/null </dev/null & echo $! >"$1.id"
    """

  /// - Parameters:
  ///   - script: the program.
  ///   - words: its arguments.
  ///   - lineCount: how many lines it prints when it is ready.
  public init(_ script: String, _ words: [String] = [], lineCount: Int = 1) async throws {
    let output = NSTemporaryDirectory() + "daemon-\(UUID().uuidString)"
    var shell = Command(["bash", "-c", Self.launcher, "bash", output, script] + words)
    shell.environment = ProcessInfo.processInfo.environment.merging(
      ["OWNER": "\(ProcessInfo.processInfo.processIdentifier)"]) { $1 }
    defer { for file in [output, output + ".id"] { try? FileManager.default.removeItem(atPath: file) } }
    let outcome = try await shell.finish()
    guard outcome.status == 0 else { throw Trouble(outcome.story) }
    let text = try String(contentsOfFile: output + ".id", encoding: .utf8)
    guard let id = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw Trouble("\(script) was not started")
    }
    self.id = id
    lines = try await Self.wait(for: lineCount, in: output, of: script)
  }

  deinit { kill(id, SIGTERM) }

  private static func wait(for count: Int, in output: String, of script: String) async throws -> [String] {
    for _ in 0..<3_000 {
      let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
      let lines = text.split(separator: "\n").map(String.init)
      if lines.count >= count, text.hasSuffix("\n") { return lines }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw Trouble("\(script) was not ready within half a minute")
  }
}
