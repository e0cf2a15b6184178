import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudWebDAV

@Suite("Probing a WebDAV server")
struct ProbeTests {
  /// The normal run spoils every Nth request.
  private static let stride = isSoak ? 1 : 31

  @Test(
    "a probe with a fault at any request learns the right traits or nothing",
    arguments: [TestServer.Kind.lighttpd, .apache], [("507", 1), ("429-words", 1), ("503-past", 4), ("lost", 2)])
  func fault(kind: TestServer.Kind, fault: (how: String, times: Int)) async throws {
    guard let server = await TestServer.shared(kind) else { return }
    let proxy = try await SpoilingProxy(to: server.url)
    // The proxy buffers whole bodies before it forwards them, so more conditions hold through it.
    let calm = try server.storage(at: proxy.url(server.folder().url))
    try await calm.createRoot()
    let expected = try await calm.state.traits().orThrow("the probe found no traits")
    for place in Swift.stride(from: 3, to: 300, by: Self.stride) {
      let journal = TestJournal()
      let storage = try server.storage(at: proxy.url(server.folder().url), journal: journal)
      try await proxy.spoil(fault.how, nth: place, times: fault.times)
      var failure: SyncError?
      do throws(SyncError) { try await storage.createRoot() } catch { failure = error }
      if try await proxy.count().spoiled == 0 { break }
      try await proxy.spoil(nil)
      let learned = journal.records()["webdav.traits"].flatMap(Traits.init)
      #expect((learned == nil) == (failure != nil), "\(fault), request \(place): \(failure?.message ?? "no error")")
      if let learned { #expect(learned.isLike(expected), "\(fault), request \(place): \(learned)") }
    }
  }

  @Test(
    "a probe asks about locks again if one is lost or remains by mistake",
    arguments: [("204", "UNLOCK", 1), ("412", "PUT", 3)])
  func lostLock(how: String, method: String, nth: Int) async throws {
    guard let server = await TestServer.shared(.apache) else { return }
    let proxy = try await SpoilingProxy(to: server.url)
    let storage = try server.storage(at: proxy.url(server.folder().url))
    try await proxy.spoil(how, nth: nth, methods: [method], ending: "locked%20file%201.org")
    try await storage.createRoot()
    #expect(try await proxy.count().spoiled == 1)
    let traits = try await storage.state.traits().orThrow("the probe found no traits")
    #expect(traits.locks && traits.movesOntoLocks)
  }

  @Test("a server that is full or read-only is reported as such, and not as unsafe", arguments: ["507", "403"])
  func refusal(how: String) async throws {
    guard let server = await TestServer.shared(.apache) else { return }
    let proxy = try await SpoilingProxy(to: server.url)
    let journal = TestJournal()
    let storage = try server.storage(at: proxy.url(server.folder().url), journal: journal)
    try await proxy.spoil(how, times: 1_000, methods: ["PUT"])
    await #expect {
      try await storage.createRoot()
    } throws: { error in
      let message = (error as? SyncError)?.message ?? ""
      return message.contains(how) && !message.contains("unsafe-writes")
    }
    #expect(journal.records()["webdav.traits"] == nil)
  }

  @Test("a server is probed once a week")
  func repetition() async throws {
    guard let server = await TestServer.shared(.lighttpd) else { return }
    let journal = TestJournal()
    let (url, now) = (try server.folder().url, Runtime.real.now().seconds)
    for (age, isRepeated) in [(0, false), (6 * 86_400, false), (7 * 86_400, true), (-3_600, true)] {
      var traits = Traits()
      traits.probed = Timestamp(seconds: now - Int64(age))
      journal.write(["webdav.traits": traits.record])
      let proven = try await server.storage(at: url, journal: journal).provenTraitsOrNone()
      #expect((proven != nil) == isRepeated, "age in seconds: \(age)")
    }
  }

  @Test("a listing does not use the traits of another server")
  func otherServer() async throws {
    guard let server = await TestServer.shared(.apache) else { return }
    let place = try server.folder()
    let path = try SyncPath("a/b.org").orThrow("")
    let writer = try server.storage(at: place.url)
    try await writer.createRoot()
    guard case .done(let entry?) = try await writer.write(Content([1]), to: path, if: .absent) else { return }
    var traits = try await writer.state.traits().orThrow("")
    (traits.product, traits.tagsReachUp) = ("Another/1.0", true)
    let journal = TestJournal()
    journal.write(["webdav.traits": traits.record])
    let first = try await server.storage(at: place.url, journal: journal).list(since: Known())
    let agreement = Agreement(path: path, digest: .empty, local: Revision("x"), remote: entry.revision)
    let known = Known(Base([agreement]), on: .remote, cursor: first.cursor)
    _ = try await writer.write(Content([2, 3]), to: path, if: .unchanged(entry.revision))
    // Apache's tag of the folder does not depend on the contents of its files.
    let second = try await server.storage(at: place.url, journal: journal).list(since: known)
    #expect(second.entries.map(\.size) == [2])
  }
}

extension WebDAVStorage {
  /// The traits; nil if they allow no writing.
  fileprivate func provenTraitsOrNone() async throws -> Traits? {
    do { return try await provenTraits() } catch {
      guard error.code == .invalidSettings else { throw error }
      return nil
    }
  }
}

extension Traits {
  /// True if both probes have the same result. Results about tags depend on the number of seconds in which a file is written,
  /// so they are ignored.
  func isLike(_ other: Traits) -> Bool {
    let traits: [KeyPath<Traits, Bool>] = [
      \.isSafe, \.createsDirectly, \.replacesAtOnce, \.locks, \.removalsNameTheFile, \.movesOntoLocks,
      \.movesWithoutOverwriting, \.listsDotNames, \.foldsCase, \.foldsUnicode,
    ]
    return traits.allSatisfy { self[keyPath: $0] == other[keyPath: $0] } && lostCharacters == other.lostCharacters
  }
}
