import Foundation
import ProgramTesting
import Synchronization

/// A real S3 server on a loopback port. It is stopped with its owner, and with the tests.
public final class S3Server: Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    case moto, pys3local, ceph, swift

    /// True if the server is installed and run only by the long sweeps, because it consists of many packages.
    public var isHeavy: Bool { self == .ceph || self == .swift }
  }

  public let kind: Kind
  /// The addresses; several for a cluster with several gateways.
  public let endpoints: [String]
  public let bucket: String
  public let accessKey: String
  public let secretKey: String
  /// The values that the script printed.
  public let values: [String: String]
  private let run: String

  public var endpoint: String { endpoints[0] }

  private static let project = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL.path
  private static let script = project + "/Scripts/s3-server.sh"

  /// - Parameter options: Additional arguments for `Scripts/s3-server.sh`.
  public init(_ kind: Kind, _ options: [String] = []) async throws {
    self.kind = kind
    // Short: a Unix socket of Ceph is in the folder.
    run = NSTemporaryDirectory() + "s3-\(UUID().uuidString.prefix(8))"
    let outcome = try await Self.command(
      ["start", kind.rawValue, "--run-dir", run, "--owner", "\(ProcessInfo.processInfo.processIdentifier)"] + options
    ).finish()
    guard outcome.status == 0 else { throw TestFailure(outcome.err) }
    let lines = outcome.text.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    values = Dictionary(lines.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { $1 }
    guard let endpoint = values["ENDPOINT"], let bucket = values["BUCKET"], let access = values["ACCESS_KEY"],
      let secret = values["SECRET_KEY"]
    else { throw TestFailure("\(kind) printed \(outcome.text)") }
    let others = values.filter { $0.key.hasPrefix("ENDPOINT_") }.sorted { $0.key < $1.key }.map(\.value)
    (endpoints, self.bucket, accessKey, secretKey) = ([endpoint] + others, bucket, access, secret)
  }

  deinit { stop() }

  /// Stops it and removes its folder. The script also stops it when the tests end.
  public func stop() {
    let (run, stop) = (run, Self.command(["stop", "--run-dir", run]))
    Thread.detachNewThread {
      _ = try? stop.run()
      try? FileManager.default.removeItem(atPath: run)
    }
  }

  /// Ends one process of a cluster abruptly, such as `rgw1` or `osd0`.
  public func kill(_ process: String) async throws {
    try await Self.require(["kill", process, "--run-dir", run])
  }

  /// Starts a process again that was ended.
  public func startAgain(_ process: String) async throws {
    try await Self.require(["again", process, "--run-dir", run])
  }

  private static func require(_ words: [String]) async throws {
    let outcome = try await command(words).finish()
    guard outcome.status == 0 else { throw TestFailure(outcome.story) }
  }

  private static func command(_ words: [String]) -> Command {
    var command = Command([script] + words)
    command.environment = ProcessInfo.processInfo.environment.merging(
      ["S3_PYTHON": project + "/.build/s3-servers/bin/python"]) { given, _ in given }
    return command
  }

  // MARK: Shared ones

  private static let shared = Mutex<[Kind: Task<Result<S3Server, Missing>, Never>]>([:])

  private struct Missing: Error { var reason: String }

  /// The server of a kind that most tests share, each with its own prefix; nil, with a prominent message, if it is unavailable.
  public static func shared(_ kind: Kind) async -> S3Server? {
    guard isSoak || !kind.isHeavy else {
      skip("\(kind.rawValue) runs with the long sweeps (make soak)")
      return nil
    }
    let start = shared.withLock { servers in
      let start =
        servers[kind]
        ?? Task {
          do { return .success(try await S3Server(kind)) } catch { return .failure(Missing(reason: "\(error)")) }
        }
      servers[kind] = start
      return start
    }
    do { return try await start.value.get() } catch {
      skip("\(kind.rawValue) is unavailable: \(error.reason)")
      return nil
    }
  }

  private static func skip(_ reason: String) { print("*** SKIPPED: \(reason) ***") }
}
