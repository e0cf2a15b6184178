import BoxEmulator
import CurlHTTP
import EmulatorWire
import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting

@testable import CloudBox

/// An emulator with its own account, and storages in it.
final class TestBox: Sendable {
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
  static let shared = Task { try await TestBox() }

  /// A plugin whose remote is a folder of this account, with the access of an app, so that any number can exist.
  func plugin(
    _ path: String, by url: String? = nil, change: (inout Box.Settings) -> Void = { _ in }
  ) -> Box {
    var settings = Box.Settings()
    settings.clientId = "test-client"
    settings.clientSecret = Secret("test-secret")
    settings.auth = .app
    settings.subject = "user:12345"
    settings.root = path
    settings.apiUrl = URLText(url ?? self.url)
    settings.http.proxy = "none"
    settings.http.timeout = .seconds(20)
    change(&settings)
    return Box(settings, PluginContext(table: "remotes.test.box", environment: SettingsEnvironment(folder: "/")))
  }

  /// A storage as the program opens it.
  func storage(
    _ path: String = "/\(UUID().uuidString)", by url: String? = nil, journal: any Journal = TestJournal(),
    runtime: Runtime = .hurried, change: (inout Box.Settings) -> Void = { _ in }
  ) async throws -> any Storage {
    let parts = RemoteParts(
      name: "test", device: Device(id: "device", name: "test"), runtime: runtime, contents: MemoryContents(),
      journal: journal)
    return try await plugin(path, by: url, change: change).open(parts)
  }
}

extension TestBox: EmulatedCloud {
  var batch: Int { 2 }

  func storage(
    at place: String, by url: String?, journal: any Journal, device: String, timeout: Duration
  ) async throws -> any Storage {
    try await storage(place, by: url, journal: journal) { $0.http.timeout = timeout }
  }

  func put(_ text: String, at name: String, in place: String) async throws {
    try await emulator.put(text, at: "\(place)/\(name)")
  }
  func remove(_ name: String, in place: String) async throws { try await emulator.remove("\(place)/\(name)") }
  func texts(in place: String) async throws -> [String: String] {
    await emulator.texts(below: place).filter { $0.key != ReservedName.marker }
  }

  func control(_ order: String) async throws { try await emulator.control(order) }
  func calls() async -> [String: Int] { await emulator.calls() }
}
