import Foundation
import HTTPStorage
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudWebDAV

@Suite("Traits of WebDAV servers")
struct ServerClassTests {
  @Test("the observed traits decide how files are written", arguments: TestServer.Kind.allCases, [[], ["--no-locks"]])
  func ways(kind: TestServer.Kind, options: [String]) async throws {
    guard options.isEmpty || [.apache, .nginx].contains(kind), let server = try await TestServer.own(kind, options)
    else { return }
    defer { server.stop() }
    let record = try await server.probed()
    let traits = try Traits(record: record).orThrow("the probe found no traits")
    let journal = TestJournal()
    journal.write(["webdav.traits": record])
    let storage = try server.freshStorage(journal: journal)
    try await storage.createRoot()
    #expect(traits.update == .moves && traits.removal == .moves, "\(kind) \(options): \(traits)")
    #expect(traits.locks == options.isEmpty, "\(kind): \(traits)")
    #expect(traits.isSafe)
    #expect(!traits.tagsReachUp)
    #expect(try await storage.state.traits() == traits)
    try await storage.expectToWork()
    let findings = try await storage.diagnose()
    for finding in findings { #expect(finding.level != .problem, "\(finding.text)") }
    #expect(findings.contains { $0.text.hasSuffix("MiB free on the server") } == (kind == .wsgidav))
  }

  @Test("a diagnosis writes nothing where nothing may be written", arguments: [true, false])
  func receiving(isReceiveOnly: Bool) async throws {
    guard let server = try await TestServer.own(.apache) else { return }
    defer { server.stop() }
    let proxy = try await SpoilingProxy(to: server.url)
    let storage = try server.storage(at: proxy.url(try server.folder().url), isReceiveOnly: isReceiveOnly)
    try await proxy.spoil("counted", methods: ["PUT", "MOVE", "DELETE", "MKCOL", "LOCK", "PROPPATCH", "COPY", "POST"])
    let findings = try await storage.diagnose()
    #expect(try await (proxy.count().seen == 0) == isReceiveOnly)
    #expect(
      findings.contains(.unprobed) == isReceiveOnly && findings.allSatisfy { $0.level != .problem }, "\(findings)")
  }

  @Test("only traits that do not depend on timing protect other devices' edits")
  func timing() {
    let observed: [WritableKeyPath<Traits, Bool>] = [
      \.guardsUpdates, \.guardsCreations, \.guardsRemovals, \.locks, \.movesOntoLocks, \.movesWithoutOverwriting,
    ]
    let momentary: [WritableKeyPath<Traits, Bool>] = [\.replacesAtOnce, \.tagsAreFine, \.headsAgree]
    for number in 0..<1 << (observed.count + momentary.count) {
      var traits = Traits()
      for (bit, trait) in (observed + momentary).enumerated() { traits[keyPath: trait] = number >> bit & 1 == 1 }
      #expect(traits.isSafe == traits.movesWithoutOverwriting, "\(traits)")
      guard traits.isSafe else { continue }
      #expect(traits.update == .moves && traits.removal == .moves && !traits.createsDirectly, "\(traits)")
    }
  }

  @Test(
    "a slow connection does not prove that tags tell versions apart",
    arguments: [TestServer.Kind.nginx, .wsgidav])
  func slowLine(kind: TestServer.Kind) async throws {
    guard let server = await TestServer.shared(kind) else { return }
    let proxy = try await FaultyProxy(to: server.url)
    try proxy.follow([["delay_ms": 300, "dir": "both"]])
    let storage = try server.storage(at: proxy.url(server.folder().url))
    let probe = Probe(server: storage.server, folder: try SyncPath("probe").orThrow(""))
    try #require(try await storage.server.makeFolder(storage.server.address.folder(probe.folder)).isGood)
    var traits = Traits()
    try await probe.probeTags(&traits)
    #expect(!traits.tagsAreFine)
  }

  @Test(
    "without locks and conditions, files are still never overwritten unseen",
    arguments: StorageCheck.all)
  func withoutLocks(check: StorageCheck) async throws {
    guard let server = try await Self.lockless.value else { return }
    try await check.run(
      on: { try server.freshHandles(journals: Self.journals) }, quirks: TestServer.Kind.nginx.quirks)
  }

  private static let journals = (TestJournal(), TestJournal())
  private static let lockless = Task { try await TestServer.own(.nginx, ["--no-locks"]) }

  @Test("a folder whose files are never listed is not treated as empty")
  func hiddenFiles() async throws {
    guard let server = await TestServer.shared(.nginx) else { return }
    let place = try server.folder()
    let storage = try server.storage(at: place.url)
    try await storage.createRoot()
    try FileManager.default.createDirectory(atPath: place.path + "/a.org", withIntermediateDirectories: false)
    let hidden = place.path + "/a.org/.hidden"
    try Data("kept".utf8).write(to: URL(filePath: hidden))
    let result = try await storage.write(Content([1]), to: SyncPath("a.org").orThrow(""), if: .absent)
    guard case .failed(let error) = result else { throw TestFailure("a folder was replaced: \(result)") }
    #expect(error.message.contains("has a folder of this name"))
    #expect(FileManager.default.contents(atPath: hidden) == Data("kept".utf8))
  }

  @Test("a server that overwrites despite conditions receives no writes unless the settings allow it")
  func unsafeServer() async throws {
    var traits = Traits()
    traits.replacesAtOnce = true
    traits.probed = Runtime.real.now()
    #expect(!traits.isSafe && traits.replacement == .unsafe)
    guard let server = await TestServer.shared(.apache) else { return }
    let place = try server.folder()
    let known = TestJournal()
    known.write(["webdav.traits": traits.record])
    // The traits are valid for a week, as long as the server's headers do not change.
    let storage = try server.storage(at: place.url, journal: known)
    let path = try SyncPath("a.org").orThrow("")
    await #expect { try await storage.write(Content([1]), to: path, if: .absent) } throws: { error in
      (error as? SyncError)?.code == .invalidSettings
        && (error as? SyncError)?.message.contains("unsafe-writes") == true
    }
    let allowed = try server.storage(at: place.url, journal: known, allowsUnsafeWrites: true)
    guard case .done = try await allowed.write(Content([1]), to: path, if: .absent) else {
      throw TestFailure("a write that the settings allow was not done")
    }
  }
}
