import CurlHTTP
import Foundation
import ProgramTesting
import SyncKit

@testable import Hub

/// The real program in a temporary folder: a store, a remote in a folder, and `syncd serve`.
final class HubProgram: Sendable {
  let root: String
  let client: HTTPClient

  /// - Parameters:
  ///   - hub: the settings of `[hub]`; nil for none.
  ///   - authority: the certificate that the client trusts in addition.
  ///   - isOneFile: true for a store in the file `org.sqlite`, into which the files in `org` are imported.
  init(
    _ files: [String: String] = [:], remote: Bool = true, hub: String? = nil, authority: String? = nil,
    isOneFile: Bool = false
  ) throws {
    root = NSTemporaryDirectory() + "hub-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(atPath: root + "/org", withIntermediateDirectories: true)
    var settings = "[syncd]\nstate = \"state\"\nquiet = \"100ms\"\n[store]\n"
    settings +=
      isOneFile ? "backend = \"sqlite\"\npath = \"org.sqlite\"\n" : "backend = \"org-files\"\npath = \"org\"\n"
    if remote {
      // Tests write into it at any time.
      try FileManager.default.createDirectory(atPath: root + "/home", withIntermediateDirectories: true)
      settings += "[remotes.home]\nsync = \"plain-files\"\ncloud = \"folder\"\n[remotes.home.folder]\npath = \"home\"\n"
    }
    if let hub { settings += "[hub]\n\(hub)\n" }
    try settings.write(toFile: root + "/s.toml", atomically: true, encoding: .utf8)
    for (name, text) in files { try text.write(toFile: root + "/org/" + name, atomically: true, encoding: .utf8) }
    var configuration = HTTPClient.Configuration(userAgent: "syncd-tests")
    configuration.allowsPlainHTTP = true
    configuration.caFile = authority
    // On a busy machine, an answer may take long; what it says does not depend on it.
    (configuration.connectTimeout, configuration.stallTimeout) = (Self.patience, Self.patience)
    client = HTTPClient(configuration)
    if isOneFile { try command("store", "import", root + "/org").succeed() }
  }

  /// The time after which a test gives up.
  static let patience = Duration.seconds(900)

  deinit { try? FileManager.default.removeItem(atPath: root) }

  /// The program beside the tests.
  static let binary: String = {
    if let binary = ProcessInfo.processInfo.environment["SYNCD_BINARY"] { return binary }
    var folder = URL(filePath: CommandLine.arguments[0]).standardizedFileURL
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let candidate = folder.appending(path: "syncd").path
      var isFolder: ObjCBool = false
      if unsafe FileManager.default.fileExists(atPath: candidate, isDirectory: &isFolder), !isFolder.boolValue {
        return candidate
      }
    }
    return "syncd"
  }()

  func text(_ name: String) -> String {
    FileManager.default.contents(atPath: root + "/" + name).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Waits until a file contains a text.
  func appears(_ part: String, in name: String) async throws {
    for _ in 0..<90_000 where !text(name).contains(part) { try await Task.sleep(for: .milliseconds(10)) }
    guard text(name).contains(part) else { throw TestFailure("\(part) is not in \(name): \(text(name))") }
  }

  /// Waits until a file exists.
  func exists(_ name: String) async throws {
    let path = root + "/" + name
    for _ in 0..<90_000 where !FileManager.default.fileExists(atPath: path) {
      try await Task.sleep(for: .milliseconds(10))
    }
    guard FileManager.default.fileExists(atPath: path) else { throw TestFailure("no file \(name)") }
  }

  func write(_ text: String, to name: String) throws {
    try text.write(toFile: root + "/" + name, atomically: true, encoding: .utf8)
  }

  func command(_ words: String...) -> Command { command(words) }

  func command(_ words: [String]) -> Command {
    var command = Command([Self.binary] + words + ["--settings", root + "/s.toml"])
    command.folder = root
    return command
  }

  /// Starts the hub, and waits until it serves.
  ///
  /// - Parameter failpoints: a plan for `SYNCD_FAILPOINTS`.
  func serve(_ failpoints: String? = nil) async throws -> ServedHub {
    var command = command("serve", "--listen", "127.0.0.1:0")
    command.environment["SYNCD_FAILPOINTS"] = failpoints
    let running = try command.start()
    for _ in 0..<90_000 {
      if let line = running.text.split(separator: "\n").first(where: { $0.hasPrefix("serving at ") }) {
        return ServedHub(program: self, running: running, url: String(line.dropFirst("serving at ".count).dropLast()))
      }
      try await Task.sleep(for: .milliseconds(10))
    }
    running.kill()
    throw TestFailure("the hub does not serve: \(try running.wait().story)")
  }

  /// Starts the service, which has a hub in its settings, and waits until that serves.
  func service(_ failpoints: String? = nil) async throws -> ServedHub {
    var command = command([])
    command.environment["SYNCD_FAILPOINTS"] = failpoints
    let running = try command.start()
    do { return ServedHub(program: self, running: running, url: try await running.hubAddress()) } catch {
      running.kill()
      throw TestFailure("\(error): \(try running.wait().story)")
    }
  }

  /// Starts the hub in one of both ways.
  func start(_ way: HubWay, _ failpoints: String? = nil) async throws -> ServedHub {
    switch way {
    case .serve: try await serve(failpoints)
    case .service: try await service(failpoints)
    }
  }

  /// Runs a command, which must succeed, and returns its output. It blocks no thread of the tests' pool.
  @discardableResult func succeed(_ words: String...) async throws -> String {
    let outcome = try await command(words).finish()
    guard outcome.status == 0 else { throw TestFailure("\(words) \(outcome.story)") }
    return outcome.text
  }

  /// Returns the secret of a new device.
  func token(_ name: String) async throws -> String {
    try await succeed("pair", "--token", "--name", name).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

/// How a hub is started.
enum HubWay: String, CaseIterable {
  /// By `syncd serve`.
  case serve
  /// By the service, whose settings have `[hub]`.
  case service
}

extension Running {
  /// Waits until the log says where the hub serves for the given time, and returns the address.
  func hubAddress(_ count: Int = 1) async throws -> String {
    for _ in 0..<90_000 {
      let addresses = errors.matches(of: /the hub serves at ([^ \n]+)\//).map { String($0.1) }
      if addresses.count >= count { return addresses[count - 1] }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw TestFailure("the hub does not serve")
  }

  /// Waits for the program to end. It blocks no thread of the tests' pool.
  func ended() async throws -> Outcome {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { [self] in continuation.resume(with: Result { try wait() }) }
    }
  }

  /// Waits until the output matches, and returns the captured part.
  func prints(_ pattern: Regex<(Substring, Substring)>) async throws -> String {
    for _ in 0..<90_000 {
      if let match = try pattern.firstMatch(in: text) { return String(match.1) }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw TestFailure("the program did not print what was expected, but \(text)")
  }

  /// Waits until the error output contains a text.
  func logs(_ text: String) async throws {
    for _ in 0..<90_000 where !errors.contains(text) { try await Task.sleep(for: .milliseconds(10)) }
    guard errors.contains(text) else { throw TestFailure("\(text) is not in \(errors)") }
  }
}

/// A hub that serves.
struct ServedHub: Sendable {
  let program: HubProgram
  let running: Running
  let url: String

  /// Sends a request and returns the response; throws if the connection fails.
  func send(
    _ method: String, _ path: String, _ body: String? = nil, token: String? = nil, headers: [HTTPHeader] = []
  ) async throws -> (status: Int, json: JSON) {
    var all = headers
    if let token { all.append(HTTPHeader("Authorization", "Bearer \(token)")) }
    if body != nil { all.append(HTTPHeader("Content-Type", "application/json")) }
    let response = try await program.client.send(
      HTTPRequest(
        method, url + path, headers: all, body: body.map { HTTPBytes($0) }, answerLimit: 1 << 24,
        timeout: HubProgram.patience))
    let bytes = try await response.bytes()
    return (response.status, (try? ParsedJSON.read(bytes)) ?? .null)
  }

  /// Opens the stream of events of a device.
  func stream(token: String) async throws -> HTTPResponse {
    try await program.client.send(
      HTTPRequest(
        "GET", url + "/api/v1/events", headers: [HTTPHeader("Authorization", "Bearer \(token)")],
        timeout: HubProgram.patience))
  }

  /// Sends a batch until the hub answers it, as a client does.
  func batch(_ number: Int, client: String, _ patches: String, token: String) async throws -> (status: Int, json: JSON)
  {
    let body = #"{"client": "\#(client)", "number": \#(number), "patches": [\#(patches)]}"#
    for _ in 0..<4_500 {
      let answer = try await send("POST", "/api/v1/batches", body, token: token)
      guard [429, 503].contains(answer.status) else { return answer }
      try await Task.sleep(for: .milliseconds(200))
    }
    throw TestFailure("batch \(number) of \(client) was never answered")
  }

  /// Stops the hub as the service manager does, and returns its output.
  @discardableResult func stop() async throws -> Outcome {
    running.kill(SIGTERM)
    return try await ended()
  }

  /// Waits for the program to end.
  @discardableResult func ended() async throws -> Outcome { try await running.ended() }
}

extension JSON? {
  /// The text of a string.
  var string: String {
    get throws {
      guard case .string(let text)? = self else {
        throw TestFailure("expected a string, not \(self?.line ?? "nothing")")
      }
      return text
    }
  }
}
