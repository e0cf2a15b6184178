import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

@testable import CloudWebDAV

extension StorageCheck {
  /// Whether it wants empty folders to be removed. No one can tell which are empty on nginx, which lists no name that begins
  /// with a dot.
  var removesFolders: Bool { name == "a folder that became empty is not listed and in nobody's way" }
}

@Suite("WebDAV servers")
struct ConformanceTests {
  private static let journals = Mutex<[TestServer.Kind: TestJournal]>([:])

  @Test("a folder on a real server is a storage", arguments: TestServer.Kind.allCases, StorageCheck.all)
  func storage(kind: TestServer.Kind, check: StorageCheck) async throws {
    guard kind != .nginx || !check.removesFolders else { return }
    guard let server = await TestServer.shared(kind) else { return }
    let journal = Self.journals.withLock { journals in
      journals[kind] = journals[kind] ?? TestJournal()
      return journals[kind]
    }
    let fresh = try journal.orThrow("no journal")
    try await check.run(
      on: { try server.freshStorage(journal: fresh) },
      unreachable: { try server.storage(at: "http://127.0.0.1:1/") }, secrets: [server.password])
  }
}
