import CurlHTTP
import EmulatorWire
import Foundation
import GitHubEmulator
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting

@testable import CloudGitHub

/// An emulator with its own repositories, and storages in them.
final class TestGitHub: Sendable {
  let emulator: Emulator
  let url: String
  private let folder = ScratchFolder()
  private let server: EmulatorServer

  /// - Parameters:
  ///   - kind: the server that is emulated.
  ///   - expires: true if the tokens of the device flow expire.
  init(_ kind: Emulator.Kind = .github, expires: Bool = true) async throws {
    emulator = Emulator(in: folder.path, expires: expires, kind: kind)
    try await emulator.prepare()
    server = EmulatorServer(emulator)
    url = try await server.start()
  }

  deinit {
    let server = server
    Task { await server.stop() }
  }

  /// The instance that tests without faults share, each with its own repository.
  static let shared = Task { try await TestGitHub() }
  private static let sharedForgejo = Task { try await TestGitHub(.forgejo) }

  /// The same for a kind.
  static func shared(_ kind: Emulator.Kind) async throws -> TestGitHub {
    switch kind {
    case .github: try await shared.value
    case .forgejo: try await sharedForgejo.value
    }
  }

  static let token = "test-token"

  /// The path of a repository's folder.
  func folder(of name: String) -> String { "\(folder.path)/\(name).git" }

  /// Creates a repository with a unique name; returns the name.
  func repository(_ files: [String: String] = [:]) async throws -> String {
    let name = "owner/\(UUID().uuidString.lowercased())"
    try await emulator.createRepository(name, files: files)
    return name
  }

  /// A plugin whose remote is a repository.
  func plugin(
    _ repository: String, by url: String? = nil, change: (inout GitHub.Settings) -> Void = { _ in }
  ) -> GitHub {
    var settings = GitHub.Settings()
    settings.repository = repository
    settings.kind = GitHub.Kind(emulator.kind)
    settings.apiUrl = URLText((url ?? self.url) + (settings.kind.apiPath ?? ""))
    settings.token = Secret(Self.token)
    settings.http.proxy = "none"
    settings.http.timeout = .seconds(20)
    change(&settings)
    return GitHub(
      settings, PluginContext(table: "remotes.test.github", environment: SettingsEnvironment(folder: "/")))
  }

  /// A storage as the program opens it.
  func storage(
    _ repository: String, by url: String? = nil, journal: any Journal = TestJournal(), runtime: Runtime = .hurried,
    device: String = "test", change: (inout GitHub.Settings) -> Void = { _ in }
  ) async throws -> any Storage {
    let parts = RemoteParts(
      name: "test", device: Device(id: "device", name: device), runtime: runtime, contents: MemoryContents(),
      journal: journal)
    return try await plugin(repository, by: url, change: change).open(parts)
  }

  /// A device whose remote is the repository, with other settings.
  func device(
    _ name: String, at repository: String, change: (inout GitHub.Settings) -> Void
  ) async throws -> TestDevice {
    let archive = MemoryArchive()
    let storage = try await storage(
      repository, journal: archive.journal(of: "test"), device: name, change: change)
    return TestDevice(name, archive: archive, storage: storage)
  }

  /// Requires that `git fsck` finds nothing wrong in a repository.
  func expectSound(_ repository: String) async throws {
    let outcome = try await git(["-C", folder(of: repository), "fsck", "--strict", "--no-dangling", "--full"])
    guard outcome.text.isEmpty else { throw TestFailure(outcome.story) }
  }

  @discardableResult func git(_ arguments: [String]) async throws -> Outcome {
    var command = Command(["git"] + arguments)
    for (key, value) in [
      "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "Person",
      "GIT_AUTHOR_EMAIL": "person@example.org", "GIT_COMMITTER_NAME": "Person",
      "GIT_COMMITTER_EMAIL": "person@example.org",
    ] { command.environment[key] = value }
    let outcome = try await command.finish()
    guard outcome.status == 0 else { throw TestFailure("git \(arguments): \(outcome.story)") }
    return outcome
  }
}

extension TestGitHub: EmulatedCloud {
  func newPlace() async throws -> String { try await repository() }

  func storage(
    at place: String, by url: String?, journal: any Journal, device: String, timeout: Duration
  ) async throws -> any Storage {
    try await storage(place, by: url, journal: journal, device: device) { $0.http.timeout = timeout }
  }

  func put(_ text: String, at name: String, in place: String) async throws {
    try await emulator.push([name: text], to: place)
  }
  func remove(_ name: String, in place: String) async throws { try await emulator.push([name: nil], to: place) }
  func texts(in place: String) async throws -> [String: String] {
    try await emulator.texts(of: place).filter { $0.key != ReservedName.marker }
  }

  func control(_ order: String) async throws { try await emulator.control(order) }
  func calls() async -> [String: Int] { await emulator.calls() }
}

extension GitHub.Kind {
  /// The kind of an emulated server.
  init(_ kind: Emulator.Kind) {
    switch kind {
    case .github: self = .github
    case .forgejo: self = .forgejo
    }
  }
}

extension Emulator.Kind {
  /// The request that changes the branch.
  var writing: String {
    switch self {
    case .github: "PATCH /git/refs/:ref"
    case .forgejo: "POST /contents"
    }
  }

  /// The request for the tip of the branch.
  var asking: String {
    switch self {
    case .github: "GET /git/ref/:ref"
    case .forgejo: "GET /branches/:branch"
    }
  }
}
