import CurlHTTP
import DropboxEmulator
import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudDropbox

/// An emulator with its own account, and storages in it.
final class TestDropbox: Sendable {
  let emulator: Emulator
  let url: String
  private let server: EmulatorServer

  init() async throws {
    server = EmulatorServer(Emulator())
    emulator = server.emulator
    url = try await server.start()
  }

  deinit {
    let server = server
    Task { await server.stop() }
  }

  /// The instance that tests without faults share, each in its own folder.
  static let shared = Task { try await TestDropbox() }

  /// A plugin whose remote is a folder of this account.
  func plugin(
    _ path: String, by url: String? = nil, change: (inout Dropbox.Settings) -> Void = { _ in }
  ) throws -> Dropbox {
    var settings = Dropbox.Settings()
    settings.appKey = "test-app"
    settings.root = path
    settings.apiUrl = URLText(url ?? self.url)
    settings.refreshToken = Secret("test-refresh")
    settings.http.proxy = "none"
    settings.http.timeout = .seconds(20)
    change(&settings)
    return Dropbox(
      settings, PluginContext(table: "remotes.test.dropbox", environment: SettingsEnvironment(folder: "/")))
  }

  /// A storage as the program opens it.
  func storage(
    _ path: String = "/\(UUID().uuidString)", by url: String? = nil, journal: any Journal = TestJournal(),
    runtime: Runtime = .hurried, change: (inout Dropbox.Settings) -> Void = { _ in }
  ) async throws -> any Storage {
    let parts = RemoteParts(
      name: "test", device: Device(id: "device", name: "test"), runtime: runtime, contents: MemoryContents(),
      journal: journal)
    return try await plugin(path, by: url, change: change).open(parts)
  }

  /// A device whose remote is the folder at `path`.
  func device(_ name: String, at path: String, by url: String? = nil) async throws -> TestDevice {
    let archive = MemoryArchive()
    let storage = try await storage(path, by: url, journal: archive.journal(of: "test"))
    return TestDevice(name, archive: archive, storage: storage)
  }
}

extension Runtime {
  /// The real runtime, except that waits are short.
  static let hurried = Runtime(now: Runtime.real.now, random: Runtime.real.random) { duration in
    try await Task.sleep(for: min(duration, .milliseconds(20)))
  }
}

extension Storage {
  /// The text of a file; nil if it does not exist.
  func text(of path: String) async throws -> String? {
    let sink = MemorySink(limit: 64 << 20)
    switch try await read(file: try syncPath(path), into: sink) {
    case .read: return String(decoding: sink.bytes, as: UTF8.self)
    case .absent: return nil
    case .postponed(let reason): throw TestFailure(reason)
    case .failed(let error): throw error
    }
  }

  func put(_ text: String, at path: String, if condition: Condition = .absent) async throws -> WriteResult {
    try await write(Content(Array(text.utf8)), to: try syncPath(path), if: condition)
  }

  func names() async throws -> [String] {
    try await list(since: Known()).entries.map(\.path.description)
  }
}

func syncPath(_ text: String) throws -> SyncPath {
  guard let path = SyncPath(text) else { throw TestFailure("\(text) is not a path") }
  return path
}

extension WriteResult {
  var isDone: Bool { if case .done = self { true } else { false } }

  var entry: Entry? { if case .done(let entry) = self { entry } else { nil } }
}

extension TestDevice {
  /// Runs, and requires success.
  func expectHealthyRun(_ comment: String) async throws {
    let report = await sync()
    #expect(
      [.synced, .conflicts].contains(report.result),
      "\(comment), \(name): \(report.result) \(report.failure?.message ?? "") \(report.actions.filter { $0.result != .done })"
    )
  }
}

/// Prints prominently that a test was skipped.
func skip(_ reason: String) { print("*** SKIPPED: \(reason) ***") }
