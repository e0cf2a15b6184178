import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A server that runs as a child process while tests run. It ends with its owner, and with the tests however they end.
///
/// ```swift
/// let server = try await ServerProcess(["python3", "-m", "http.server", "--bind", "127.0.0.1", "0"])
/// // server.lines[0] says on which port it serves.
/// ```
public final class ServerProcess: Sendable {
  private let id: pid_t
  /// The first lines that it printed.
  public let lines: [String]

  /// A shell script that starts the server in the background, and ends it once the process of the tests is gone.
  private static let launcher = """
    "${@:3}" >"$1" 2>/dev/null </dev/null & id=$!; echo $id >"$1.id"
    (while kill -0 "$2" && kill -0 $id; do sleep 1; done; kill $id) >/dev/null 2>&1 </dev/null &
    """

  /// Starts a server and waits until it is ready.
  ///
  /// - Parameters:
  ///   - arguments: The command line; the program is looked up in `PATH`.
  ///   - environment: Variables in addition to those of the tests.
  ///   - lineCount: The number of lines that the server prints when it is ready, such as its port.
  /// - Throws: `TestFailure` if it has not printed them within five minutes.
  public init(_ arguments: [String], environment: [String: String] = [:], lineCount: Int = 1) async throws {
    let output = NSTemporaryDirectory() + "server-\(UUID().uuidString)"
    var shell = Command(
      ["bash", "-c", Self.launcher, "bash", output, "\(ProcessInfo.processInfo.processIdentifier)"] + arguments)
    shell.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    defer { for file in [output, output + ".id"] { try? FileManager.default.removeItem(atPath: file) } }
    let outcome = try await shell.finish()
    guard outcome.status == 0 else { throw TestFailure(outcome.story) }
    let text = try String(contentsOfFile: output + ".id", encoding: .utf8)
    let name = arguments.joined(separator: " ")
    guard let id = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw TestFailure("\(name) was not started")
    }
    self.id = id
    lines = try await Self.wait(for: lineCount, in: output, of: name)
  }

  deinit { kill(id, SIGTERM) }

  private static func wait(for count: Int, in output: String, of name: String) async throws -> [String] {
    for _ in 0..<30_000 {
      let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
      let lines = text.split(separator: "\n").map(String.init)
      if lines.count >= count, text.hasSuffix("\n") { return lines }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw TestFailure("\(name) was not ready within five minutes")
  }
}
