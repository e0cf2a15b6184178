import Foundation
import ProgramTesting

/// A TCP proxy in front of a server, which breaks chosen connections. It is stopped with its owner.
public final class FaultyProxy: Sendable {
  private let process: ServerProcess
  public let port: Int
  private let control: Int

  private static let script = URL(filePath: #filePath).appending(path: "../faulty-proxy.py").standardizedFileURL.path

  public init(to url: String) async throws {
    guard let target = URL(string: url).flatMap(\.port) else { throw TestFailure("no port in \(url)") }
    process = try await ServerProcess(
      ["python3", Self.script, "--to", "127.0.0.1:\(target)", "--control", "0"], lineCount: 2)
    let ports = process.lines.compactMap { $0.split(separator: ":").last.flatMap { Int($0) } }
    guard ports.count == 2 else { throw TestFailure("the proxy printed \(process.lines)") }
    (port, control) = (ports[0], ports[1])
  }

  /// The same address through the proxy.
  public func url(_ url: String) throws -> String {
    guard let path = URL(string: url)?.path(percentEncoded: true) else {
      throw TestFailure("no address: \(url)")
    }
    return "http://127.0.0.1:\(port)\(path)"
  }

  /// Replaces the rules; `faulty-proxy.py` describes their format.
  public func follow(_ rules: [[String: any Sendable]]) throws { _ = try say(["plan": rules]) }

  /// The numbers of times that each rule fired, and that its pattern matched, and of the bytes that reached the server and
  /// the client.
  public func counts() throws -> (fired: [Int], matched: [Int], sent: Int, received: Int) {
    let stats = try say(["stats": true])
    let bytes = stats["bytes"] as? [String: Int] ?? [:]
    return (stats["fired"] as? [Int] ?? [], stats["matched"] as? [Int] ?? [], bytes["up"] ?? 0, bytes["down"] ?? 0)
  }

  private func say(_ words: [String: any Sendable]) throws -> [String: Any] {
    let line = try JSONSerialization.data(withJSONObject: words)
    // A shell, which starts at once: it blocks a thread that the emulators and the other tests need.
    let script =
      #"exec 3<>"/dev/tcp/127.0.0.1/$1"; printf '%s\n' "$2" >&3; "#
      + #"IFS= read -r answer <&3; printf '%s' "$answer" "#
    let call = ["bash", "-e", "-c", script, "bash", "\(control)", String(decoding: line, as: UTF8.self)]
    let answer = try Command(call).succeed()
    return try JSONSerialization.jsonObject(with: answer.out) as? [String: Any] ?? [:]
  }
}
