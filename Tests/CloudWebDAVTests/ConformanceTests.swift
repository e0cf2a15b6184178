import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

@testable import CloudWebDAV

extension TestServer.Kind {
  /// The checks that the server cannot pass with any client.
  var quirks: [ServerQuirk] {
    switch self {
    case .nginx:
      [
        ServerQuirk(
          check: .removesFolders,
          "nginx never lists a name that begins with a dot, so no client can tell if a folder is empty")
      ]
    case .apache:
      [
        ServerQuirk(
          check: .createRace,
          "Apache compares If-None-Match before it opens the file, so two creations in the same instant can both be done"
        )
      ]
    case .wsgidav:
      [CheckID.createRace, .writeRace, .removalRace].map {
        ServerQuirk(check: $0, "wsgidav looks at the target of a MOVE and then moves, so two can both be done")
      }
    default: []
    }
  }
}

@Suite("WebDAV servers")
struct ConformanceTests {
  private static let journals = Mutex<[TestServer.Kind: (TestJournal, TestJournal)]>([:])

  @Test("a folder on a real server passes the storage checks", arguments: TestServer.Kind.allCases, StorageCheck.all)
  func storage(kind: TestServer.Kind, check: StorageCheck) async throws {
    guard let server = await TestServer.shared(kind) else { return }
    let journal = Self.journals.withLock { journals in
      journals[kind] = journals[kind] ?? (TestJournal(), TestJournal())
      return journals[kind]
    }
    let fresh = try journal.orThrow("no journal")
    try await check.run(
      on: { try server.freshHandles(journals: fresh) },
      unreachable: { try server.storage(at: "http://127.0.0.1:1/") }, secrets: [server.password],
      quirks: kind.quirks)
  }
}
