import Foundation
import ProgramTesting
import Synchronization

/// A real WebDAV server on a loopback port, which ends with the tests.
final class TestServer: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case apache, nginx, lighttpd, wsgidav, rclone
  }

  let kind: Kind
  let url: String
  /// What it serves.
  let root: String
  /// Where its logs and certificates are.
  let run: String
  let user = "ann"
  /// With everything that is awkward in headers and settings.
  let password: String

  /// - Parameter options: more words for `Scripts/webdav-server.sh`.
  init(_ kind: Kind, _ options: [String] = [], password: String = "p%40ss: w\u{F6}rd") throws {
    self.kind = kind
    self.password = password
    let folder = NSTemporaryDirectory() + "webdav-\(kind.rawValue)-\(UUID().uuidString)"
    (root, run) = (folder + "/root", folder + "/run")
    let words =
      [
        "start", kind.rawValue, "--root", root, "--run", run, "--user", user, "--password", password,
        "--owner", "\(ProcessInfo.processInfo.processIdentifier)",
      ] + (options.contains("--auth") ? [] : ["--auth", "basic"]) + options
    url = try Self.script(words).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  deinit { stop() }

  /// Ends it and removes its folders. The script stops it anyway when the tests end.
  func stop() {
    _ = try? Self.script(["stop", "--run", run])
    try? FileManager.default.removeItem(atPath: (root as NSString).deletingLastPathComponent)
  }

  /// A new empty folder on the server: its address, and where it is on this machine.
  func folder() throws -> (url: String, path: String) {
    let name = UUID().uuidString
    try FileManager.default.createDirectory(atPath: root + "/" + name, withIntermediateDirectories: false)
    return (url + name + "/", root + "/" + name)
  }

  /// The requests that the server has noted, a line each: method, path, status.
  func requests() throws -> [String] {
    try String(contentsOfFile: run + "/access.log", encoding: .utf8).split(separator: "\n").map(String.init)
  }

  // MARK: Shared ones

  private static let shared = Mutex<[Kind: Result<TestServer, Missing>]>([:])

  /// The one server of a kind that most tests share, each with a folder of its own; nil, with a loud word, where it
  /// cannot be had.
  static func shared(_ kind: Kind) -> TestServer? {
    let server = shared.withLock { servers in
      if let server = servers[kind] { return server }
      let server = Result { try TestServer(kind) }.mapError { Missing(reason: "\($0)") }
      servers[kind] = server
      return server
    }
    do { return try server.get() } catch {
      skip("\(kind.rawValue) cannot be had: \(error.reason)")
      return nil
    }
  }

  /// A server for one test alone, where locks of other tests cannot take along its own (Apache loses locks while others
  /// come and go); nil where the kind cannot be had.
  static func own(_ kind: Kind, _ options: [String] = []) throws -> TestServer? {
    shared(kind) == nil ? nil : try TestServer(kind, options)
  }

  private struct Missing: Error { var reason: String }

  // MARK: The script

  static let project = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL.path

  @discardableResult
  private static func script(_ words: [String]) throws -> String {
    var command = Command([project + "/Scripts/webdav-server.sh"] + words)
    command.environment = ProcessInfo.processInfo.environment.merging(
      ["WEBDAV_PYTHON": project + "/.build/wsgidav/bin/python"]) { $1 }
    let outcome = try command.run()
    guard outcome.status == 0 else { throw Trouble(outcome.err) }
    return outcome.text
  }
}

/// Says loudly that a test was not run here.
func skip(_ reason: String) { print("*** SKIPPED: \(reason) ***") }
