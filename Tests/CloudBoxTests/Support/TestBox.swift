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

  /// A device whose remote is the folder at `path`.
  func device(_ name: String, at path: String, by url: String? = nil) async throws -> TestDevice {
    let archive = MemoryArchive()
    let storage = try await storage(path, by: url, journal: archive.journal(of: "test"))
    return TestDevice(name, archive: archive, storage: storage)
  }
}
