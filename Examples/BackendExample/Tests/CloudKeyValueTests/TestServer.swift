import CloudKeyValue
import Foundation
import ProgramTesting
import SyncKit
import SyncKitTesting

/// A key-value server that all tests share; each test has its own place on it.
struct TestServer: Sendable {
  static let token = "correct-horse-battery-staple"
  static let shared = Task { try await TestServer() }

  private let process: ServerProcess

  private init() async throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "key-value-server.py").path
    process = try await ServerProcess(["python3", script, Self.token, "100"])
  }

  /// The address of a place that nothing else uses.
  func place() -> String { "\(process.lines[0])/\(UUID().uuidString)" }

  /// Two devices' storages at a fresh place; `change` wraps the correct store.
  func handles(_ change: (KeyValueStore) -> some ObjectStore) -> StorageCheck.Handles {
    let address = place()
    return (
      fileStorage(of: change(KeyValueStore(address: address, token: Self.token)), seed: 1),
      fileStorage(of: change(KeyValueStore(address: address, token: Self.token)), seed: 2)
    )
  }
}

/// The storage of one device for a store.
func fileStorage(of store: some ObjectStore, seed: UInt64 = 1) -> any Storage {
  FileServiceStorage(ObjectFiles(store, .inMemory(seed: seed)))
}
