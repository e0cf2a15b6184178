import Foundation
import ProgramTesting
import Synchronization

/// A real WebDAV server on a loopback port, which is stopped with the tests.
final class TestServer: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case apache, nginx, lighttpd, wsgidav, rclone
  }

  let kind: Kind
  /// True if every version has its own tag.
  let hasFineTags: Bool
  let url: String
  /// The folder that it serves.
  let root: String
  /// The folder of its logs and certificates.
  let run: String
  let user = "ann"
  /// Contains every character that is awkward in headers and settings.
  let password: String

  private static let awkwardPassword = "p%40ss: w\u{F6}rd"

  /// - Parameter options: Additional arguments for `Scripts/webdav-server.sh`.
  private init(_ kind: Kind, _ options: [String] = [], password: String = awkwardPassword) async throws {
    self.kind = kind
    hasFineTags = ![.nginx, .wsgidav].contains(kind) || options.contains("--deep-tags")
    self.password = password
    let folder = NSTemporaryDirectory() + "webdav-\(kind.rawValue)-\(UUID().uuidString)"
    (root, run) = (folder + "/root", folder + "/run")
    let words =
      [
        "start", kind.rawValue, "--root", root, "--run", run, "--user", user, "--password", password,
        "--owner", "\(ProcessInfo.processInfo.processIdentifier)",
      ] + (options.contains("--auth") ? [] : ["--auth", "basic"]) + options
    url = try await Self.script(words).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  deinit { stop() }

  /// Stops it and removes its folders. The script also stops it when the tests end.
  func stop() {
    let (folder, words) = ((root as NSString).deletingLastPathComponent, ["stop", "--run", run])
    Thread.detachNewThread {
      _ = try? Self.command(words).run()
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  /// A new empty folder on the server: its address and its local path.
  func folder() throws -> (url: String, path: String) {
    let name = UUID().uuidString
    try FileManager.default.createDirectory(atPath: root + "/" + name, withIntermediateDirectories: false)
    return (url + name + "/", root + "/" + name)
  }

  // MARK: Shared ones

  private static let shared = Mutex<[Kind: Task<Result<TestServer, Missing>, Never>]>([:])

  /// The server of a kind that most tests share, each with its own folder; nil, with a prominent message, if it is unavailable.
  static func shared(_ kind: Kind) async -> TestServer? {
    let start = shared.withLock { servers in
      let start =
        servers[kind]
        ?? Task {
          do { return .success(try await TestServer(kind)) } catch { return .failure(Missing(reason: "\(error)")) }
        }
      servers[kind] = start
      return start
    }
    do { return try await start.value.get() } catch {
      skip("\(kind.rawValue) is unavailable: \(error.reason)")
      return nil
    }
  }

  /// A server for a single test, where nothing of another test is; nil if the kind is unavailable.
  static func own(
    _ kind: Kind, _ options: [String] = [], password: String = awkwardPassword
  ) async throws -> TestServer? {
    await shared(kind) == nil ? nil : try await TestServer(kind, options, password: password)
  }

  private struct Missing: Error { var reason: String }

  // MARK: The script

  static let project = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL.path

  private static func script(_ words: [String]) async throws -> String {
    let outcome = try await command(words).finish()
    guard outcome.status == 0 else { throw TestFailure(outcome.err) }
    return outcome.text
  }

  private static func command(_ words: [String]) -> Command {
    var command = Command([project + "/Scripts/webdav-server.sh"] + words)
    command.environment = ProcessInfo.processInfo.environment.merging(
      ["WEBDAV_PYTHON": project + "/.build/wsgidav/bin/python"]) { $1 }
    return command
  }
}

/// Prints prominently that a test was skipped.
func skip(_ reason: String) { print("*** SKIPPED: \(reason) ***") }
