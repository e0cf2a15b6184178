import CPOSIX
import Foundation
import ProgramTesting

/// A folder with settings, a store, a state folder and remotes, for the real program. It is removed with its owner.
final class Sandbox: Sendable {
  let root: String
  let remotes: [String]

  /// - Parameters:
  ///   - remotes: The names of the folder remotes; each is a folder with that name.
  ///   - settings: Additional lines for `[syncd]`.
  ///   - store: Lines for `[store]`.
  ///   - inMemory: True if it may be on a disk in memory, where syncing is free and everyone may enter.
  init(remotes: [String] = ["home"], settings: String = "", store: String = "", inMemory: Bool = false) throws {
    root = Self.newRoot(inMemory: inMemory)
    self.remotes = remotes
    try FileManager.default.createDirectory(atPath: root + "/org", withIntermediateDirectories: true)
    try writeSettings(settings: settings, store: store)
  }

  /// A copy of a prepared sandbox in the same state.
  init(copyOf other: Sandbox) throws {
    root = (other.root as NSString).deletingLastPathComponent + "/syncd-\(UUID().uuidString)"
    remotes = other.remotes
    let copy = try Command(["cp", "-a", other.root, root]).run()
    guard copy.status == 0 else { throw TestFailure(copy.story) }
  }

  private static func newRoot(inMemory: Bool) -> String {
    let memory = "/dev/shm/"
    let hasMemory = inMemory && FileManager.default.isWritableFile(atPath: memory)
    return "\(hasMemory ? memory : NSTemporaryDirectory())syncd-\(UUID().uuidString)"
  }

  deinit {
    // Folders may have been made unreadable.
    _ = try? Command(["chmod", "-R", "u+rwX", root]).run()
    _ = try? Command(["rm", "-rf", root]).run()
  }

  func writeSettings(
    settings: String = "", store: String = "", state: String = "state", storePath: String = "org",
    file: String = "s.toml", remote: String = ""
  ) throws {
    var text =
      "[syncd]\nstate = \"\(state)\"\n\(settings)\n[store]\nbackend = \"org-files\"\npath = \"\(storePath)\"\n\(store)\n"
    for name in remotes {
      text +=
        "[remotes.\(name)]\nsync = \"plain-files\"\ncloud = \"folder\"\n\(remote)\n[remotes.\(name).folder]\npath = \"\(name)\"\ncreate = true\n"
    }
    try write(text, to: file)
  }

  // MARK: Files

  func path(_ name: String) -> String { root + "/" + name }

  func write(_ text: String, to name: String) throws { try write(Data(text.utf8), to: name) }

  func write(_ data: Data, to name: String) throws {
    let path = path(name)
    let folder = (path as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // Settings may contain secrets, which syncd refuses if others can read them.
    let mode = name.hasSuffix(".toml") ? [FileAttributeKey.posixPermissions: 0o600] : nil
    guard FileManager.default.createFile(atPath: path, contents: data, attributes: mode) else {
      throw TestFailure("cannot write \(path)")
    }
  }

  func write(_ files: [String: String]) throws { for (name, text) in files { try write(text, to: name) } }

  /// Writes a program that can be started at once.
  func writeProgram(_ text: String, to name: String, mode: String = "755") throws {
    let folder = (path(name) as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try ProgramTesting.writeProgram(text, to: path(name), mode: mode)
  }

  func remove(_ names: String...) throws {
    for name in names { try FileManager.default.removeItem(atPath: path(name)) }
  }

  func move(_ from: String, _ to: String) throws {
    let folder = (path(to) as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: path(from), toPath: path(to))
  }

  /// Waits until `isSo`, for at most a minute, far more than any step takes.
  func wait(_ what: String, _ isSo: () -> Bool) throws {
    for _ in 0..<6_000 {
      if isSo() { return }
      usleep(10_000)
    }
    throw TestFailure("timed out: \(what)")
  }

  /// Waits until a program reaches a failpoint with the action `pause(NAME)`.
  func waitForPause(_ name: String) throws { try wait("the pause for \(name)") { read(name + ".reached") != nil } }

  func read(_ name: String) -> String? {
    FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) }
  }

  func tree(_ name: String) -> Tree { Tree(path(name)) }

  var store: Tree { tree("org") }

  /// Every file in the sandbox, with everything that a program could have changed.
  func fingerprint() throws -> String {
    try Command(["find", root, "-printf", "%P %y %i %s %T@ %m\\n"]).sorted() + "\n"
      + Command(["sh", "-c", "find '\(root)' -type f -exec sha256sum {} +"]).sorted()
  }

  // MARK: Running

  /// The path of the program: beside the tests, or in `SYNCD_BINARY`.
  static let binary: String = {
    if let binary = ProcessInfo.processInfo.environment["SYNCD_BINARY"] { return binary }
    var folder = URL(filePath: CommandLine.arguments[0]).standardizedFileURL
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let candidate = folder.appending(path: "syncd").path
      if Names.kind(Array(candidate.utf8)) == S_IFREG { return candidate }
    }
    return "syncd"
  }()

  /// The program with these arguments and this sandbox's settings.
  func command(_ words: [String], environment: [String: String] = [:], settings: String = "s.toml") -> Command {
    var command = Command([Self.binary, "--settings", path(settings)] + words)
    command.environment.merge(environment) { $1 }
    return command
  }

  @discardableResult
  func syncd(_ words: String..., environment: [String: String] = [:], settings: String = "s.toml") throws -> Outcome {
    try command(words, environment: environment, settings: settings).run()
  }

  /// Runs `--once`, requires the exit status `status`, and returns the report.
  @discardableResult
  func once(_ words: String..., status: Int32 = 0, settings: String = "s.toml") throws -> Report {
    let outcome = try command(["--once", "--json"] + words, settings: settings).run()
    guard outcome.status == status else { throw TestFailure("expected exit \(status)\n\(outcome.story)") }
    return try outcome.json(Report.self)
  }
}

extension Command {
  fileprivate func sorted() throws -> String {
    try run().text.split(separator: "\n").sorted().joined(separator: "\n")
  }
}

/// The output of `--once --json` according to the contract; every field is required.
struct Report: Decodable {
  var version: Int
  var pass: Int
  var result: String
  var remotes: [Remote]

  struct Remote: Decodable {
    var name: String
    var result: String
    var actions: [Action]
    var counts: Counts
    var bytes: Bytes
    var seconds: Double
    var notices: [String]?
    var error: String?
  }

  struct Action: Decodable {
    var path: String
    var action: String
    var to: String
    var result: String
    var detail: String
  }

  struct Counts: Decodable, Equatable {
    var copied = 0
    var merged = 0
    var removed = 0
    var conflicts = 0
    var held = 0
    var failed = 0

    var isNothing: Bool { self == Counts() }
  }

  struct Bytes: Decodable {
    var up: Int
    var down: Int
  }

  var home: Remote { remotes[0] }
  /// All remotes' actions on `path`.
  func actions(on path: String) -> [Action] { remotes.flatMap(\.actions).filter { $0.path == path } }
}

/// The output of `status --json`.
struct Status: Decodable {
  var version: Int
  var remotes: [Remote]

  struct Remote: Decodable {
    var name: String
    var held: Held?
    var conflicts: [String]
    var pending: [String]
    var trouble: Failure?

    struct Held: Decodable {
      var id: String
      var reason: String
      var paths: [String]
    }

    struct Failure: Decodable {
      var code: String
      var message: String
    }

    private enum CodingKeys: String, CodingKey { case name, held, conflicts, pending, trouble }
  }
}

/// True if a process has ended, also if its parent has not noticed it yet.
func hasEnded(_ id: pid_t) -> Bool {
  kill(id, 0) != 0 || ((try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8))?.contains(") Z ") ?? true)
}

/// Prints prominently that a test was skipped.
func skip(_ reason: String) { print("*** SKIPPED: \(reason) ***") }

extension Sandbox {
  /// Every former version of a file that `syncd log` lists and `syncd show` can print.
  func versions(of path: String) throws -> [String] {
    let log = try command(["log", "--json", "--", path]).run().json(Log.self)
    return try log.versions.map { try command(["show", "--digest", $0.digest, "--", path]).run().text }
  }

  private struct Log: Decodable {
    var versions: [Version]
    struct Version: Decodable { var digest: String }
  }

  /// Runs until there is nothing left to do, at most three times.
  func settle() throws {
    for _ in 0..<3 {
      let outcome = try syncd("--once", "--json")
      guard [0, 3].contains(outcome.status) else { throw TestFailure(outcome.story) }
      if try outcome.json(Report.self).remotes.allSatisfy({ $0.actions.isEmpty }) { return }
    }
    throw TestFailure("the sides are not in sync after three runs")
  }
}
