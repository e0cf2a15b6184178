import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudWebDAV

@Suite("Names on real WebDAV servers")
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

  @Test("names are stored byte for byte or declined, also inside folders", arguments: TestServer.Kind.allCases)
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
        Issue.record("removing \(entry.path) returned \(result)")
        continue
      }
    }
    #expect(try await storage.list(since: Known()).count == 0)
  }
}

/// Servers that store files under other names than they were sent with, and find them under both.
@Suite("Names that a WebDAV server alters")
struct AlteredNameTests {
  static let names = ["cafe\u{301} 1.org", "caf\u{E9} 2.org", "plain.org", "e\u{301}te\u{301}/one two.org"]

  /// The kinds of servers, each with the names that it lists as they were sent.
  private static let servers = [
    ("composed-names", ["caf\u{E9} 2.org", "plain.org"]),
    ("decomposed-names", ["cafe\u{301} 1.org", "plain.org", names[3]]),
    ("names-without-blanks", ["plain.org"]),
  ]

  /// A device by way of a proxy that alters names from the beginning, or once the server was probed.
  private func device(
    _ how: String, isProbed: Bool, _ work: (TestDevice, _ folder: String) async throws -> Void
  ) async throws {
    guard let server = try await TestServer.own(.lighttpd) else { return }
    defer { server.stop() }
    let proxy = try await SpoilingProxy(to: server.url)
    let place = try server.folder()
    let device = try server.device("one", at: proxy.url(place.url))
    if isProbed { try await device.archive.journal(of: "test").write(["webdav.traits": server.probed()]) }
    try await device.write("* first\n", to: "first.org")
    if isProbed { try await device.expectHealthyRun("first") }
    try await proxy.spoil(how, times: 1_000_000)
    try await work(device, place.path)
  }

  @Test(
    "the store's files keep their names and are reported, and nothing is left on the server",
    arguments: servers.indices,
    [false, true])
  func left(index: Int, isProbed: Bool) async throws {
    let (how, kept) = Self.servers[index]
    try await device(how, isProbed: isProbed) { device, folder in
      for name in Self.names { try await device.write("* text\n", to: name) }
      for number in 1...3 {
        let report = await device.sync()
        #expect(report.result == .failed && report.counts.waiting == 0, "run \(number): \(report.actions)")
        let failed = report.actions.filter { $0.result == .failed }.map { Array($0.path.bytes) }
        #expect(Set(failed) == Set(Self.names.filter { !kept.contains($0) }.map { Array($0.utf8) }))
        if number > 1 { #expect(report.bytes.up == 0 && report.bytes.down == 0) }
      }
      let expected = Set((Self.names + ["first.org"]).map { Array($0.utf8) })
      #expect(Set(await device.store.contents.keys.map(\.bytes)) == expected)
      let found = try FileManager.default.subpathsOfDirectory(atPath: folder).filter {
        $0.hasSuffix(".org") && !$0.contains(".syncd-")
      }
      #expect(Set(found.map { Array($0.utf8) }) == Set((kept + ["first.org"]).map { Array($0.utf8) }))
    }
  }

  @Test("a file that the server already has under the altered name is not copied to the store")
  func twin() async throws {
    try await device("composed-names", isProbed: false) { device, folder in
      try await device.write("* text\n", to: "cafe\u{301}.org")
      try Data("* text\n".utf8).write(to: URL(filePath: folder + "/caf\u{E9}.org"))
      for _ in 1...2 {
        let report = await device.sync()
        #expect(report.result == .failed && report.counts.waiting == 0, "\(report.actions)")
      }
      #expect(
        Set(await device.store.contents.keys.map(\.bytes))
          == Set(["cafe\u{301}.org", "first.org"].map { Array($0.utf8) }))
    }
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
