import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudWebDAV

@Suite("Names on real servers")
struct NameTests {
  /// Names that servers, proxies, shells and other systems treat specially.
  static let names =
    [
      "plain.org", "two words.org", " leading.org", "a#b.org", "a?b.org", "a%b.org", "a%20b.org", "a+b.org", "a&b.org",
      "a;b.org", "a=b.org", "a:b.org", "a*b.org", "a'b.org", "a\"b.org", "a\\b.org", "a<b>.org", "a|b.org", "[a].org",
      "{a}.org", "a@b.org", "a$b.org", "a!b.org", "(a).org", "a,b.org", "~a.org", "^a.org", "`a.org", ".hidden.org",
      "trailing.dot.", "trailing space ", ".#lock.org", "#auto.org#", "back~.org~", "a.org.tmp", "\u{FC}ml\u{E4}ut.org",
      "nfd-u\u{308}e\u{301}.org", "\u{65E5}\u{672C}.org", "\u{1F600}.org", "\u{5D0}\u{5D1}.org", "tab\there.org",
      "a\u{A0}b.org", String(repeating: "l", count: 251) + ".org", String(repeating: "l", count: 252) + ".org", "..org",
      "...", "CON.org", "index.html", "Thumbs.db", ".DS_Store", "._x.org", "desktop.ini", ".gitx", ".htaccess",
    ]

  /// The number of them that each server accepts; control characters and names of more than 250 bytes are never sent.
  static let expected: [TestServer.Kind: Int] = [.apache: 51, .nginx: 43, .lighttpd: 51, .wsgidav: 49, .rclone: 51]

  @Test("go round byte for byte or are declined, also inside folders", arguments: TestServer.Kind.allCases)
  func roundTrip(kind: TestServer.Kind) async throws {
    guard let server = await TestServer.shared(kind) else { return }
    let storage = try server.freshStorage(journal: TestJournal())
    try await storage.createRoot()
    var stored: Set<SyncPath> = []
    for name in Self.names {
      for path in [SyncPath(name), SyncPath("folder/" + name)].compactMap(\.self) {
        let result = try await storage.write(Content(path.bytes), to: path, if: .absent)
        if case .done = result { stored.insert(path) } else { #expect(result.isDecline, "\(path): \(result)") }
      }
    }
    let listed = try await storage.list(since: Known()).entries
    #expect(Set(listed.map(\.path)) == stored)
    #expect(stored.count == Self.expected[kind].map { $0 * 2 })
    for entry in listed {
      #expect(try await storage.text(of: entry.path) == Array(entry.path.bytes))
      let result = try await storage.remove(entry.path, if: .unchanged(entry.revision))
      guard case .done(nil) = result else {
        Issue.record("removing \(entry.path) gave \(result)")
        continue
      }
    }
    #expect(try await storage.list(since: Known()).count == 0)
  }
}

extension WriteResult {
  /// True if the result says that the server cannot store the path.
  var isDecline: Bool {
    switch self {
    case .cannot: true
    case .failed(let error): error.code == .pathFailed
    default: false
    }
  }
}

extension Storage {
  /// The bytes of a file; nil if it does not exist.
  func text(of path: SyncPath) async throws -> [UInt8]? {
    let sink = MemorySink(limit: 1 << 20)
    switch try await read(file: path, into: sink) {
    case .read: return sink.bytes
    case .absent: return nil
    case .postponed(let reason): throw TestFailure(reason)
    case .failed(let error): throw error
    }
  }
}
