import CurlHTTP
import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudWebDAV

@Suite("Folder tags that change with everything below")
struct FolderTagTests {
  private static let journals = (TestJournal(), TestJournal())
  private static let server = Task { try await TestServer.own(.wsgidav, ["--deep-tags"]) }

  /// Serialized: the server has a thread for each connection, and new ones wait until old ones are closed.
  @Test("a server with such tags passes the storage checks", .serialized, arguments: StorageCheck.all)
  func storage(check: StorageCheck) async throws {
    guard let server = try await Self.server.value else { return }
    try await check.run(
      on: { try server.freshHandles(journals: Self.journals) }, quirks: TestServer.Kind.wsgidav.quirks)
  }

  @Test("only folders with changes are listed")
  func requests() async throws {
    guard let server = try await Self.server.value else { return }
    let place = try server.folder()
    let (one, two) = try await (CountedDevice("one", server, at: place.url), server.device("two", at: place.url))
    try await one.device.archive.journal(of: "test").write(["webdav.traits": server.probed()])
    for number in 0..<24 {
      try await one.device.write("* \(number)\n", to: "\(number % 3)/\(number % 6)/\(number).org")
    }
    try await one.device.expectHealthyRun("first")
    try await two.expectHealthyRun("first")
    var isSaid = false
    // On a busy machine the server may seem too slow for a result.
    for _ in 0..<50 where !isSaid {
      isSaid = try await one.device.storage.diagnose().contains { $0.text.contains("unchanged folders are not listed") }
    }
    #expect(isSaid)
    // The first listing sees all folders, the second believes their tags.
    _ = try await one.listings()
    var unchanged = try await one.listings()
    // A folder with files that were written a moment ago is listed again.
    for _ in 0..<60 where unchanged != 1 {
      try await Task.sleep(for: .seconds(1))
      unchanged = try await one.listings()
    }
    #expect(unchanged == 1)
    try await two.write("* new\n", to: "1/4/4.org")
    try await two.expectHealthyRun("an edit")
    let listings = try await one.listings()
    #expect(listings == 3)
    #expect(try await one.device.texts() == two.texts())
  }

  @Test("changes of other clients are found, and no file stays hidden")
  func news() async throws {
    guard let server = try await Self.server.value else { return }
    let place = try server.folder()
    let devices = try [server.device("one", at: place.url), server.device("two", at: place.url)]
    let seed = UInt64.random(in: 0...(.max))
    var generator = SplitMix64(state: seed)
    let paths = ["a.org", "b/c.org", "b/d/e.org", "b/d/f.org", "b/g/h \u{E9}.org", "i/j/k/l.org"]
    for step in 0..<(isSoak ? 200 : 40) {
      let (device, path) = (devices[step % 2], paths.randomElement(using: &generator) ?? "a.org")
      // More deletions than these would be held.
      if step % 20 == 10 { try await device.remove(path) } else { try await device.write("* \(step)\n", to: path) }
      if step % 10 == 5 { try Data("* aside\n".utf8).write(to: URL(filePath: place.path + "/a.org")) }
      try await devices[Int.random(in: 0...1, using: &generator)].expectHealthyRun("seed \(seed)")
    }
    for device in devices + devices { try await device.expectHealthyRun("seed \(seed)") }
    #expect(try await devices[0].texts() == devices[1].texts(), "seed \(seed)")
    let listed = try await server.storage(at: place.url).list(since: Known())
    #expect(Set(listed.entries.map(\.path.description)) == Set(try await devices[0].texts().keys), "seed \(seed)")
  }

  // MARK: Stored tags

  private let path: SyncPath
  private let folder: SyncPath
  private static let noon = Timestamp(seconds: 1_800_000_000)

  init() throws {
    path = try SyncPath("a b/c.org").orThrow("not a path")
    folder = try path.parent.orThrow("no folder")
  }

  private func known(_ revision: String) -> KnownFolders {
    let agreement = Agreement(path: path, digest: .empty, local: Revision("x"), remote: Revision(revision))
    return KnownFolders(Known(Base([agreement]), on: .remote))
  }

  /// The stored state of a folder with one file.
  private func seen() throws -> SeenFolders {
    var found = Listing.Found()
    found.folders = [folder]
    found.tags = [folder: try EntityTag("\"one\"").orThrow("")]
    let entry = Entry(path: path, revision: Revision("1"))
    return SeenFolders().next(found, [entry], at: Self.noon, filter: PathFilter())
  }

  @Test("a remembered folder is used only with the tag, the files and the day of the last listing")
  func belief() throws {
    let seen = SeenFolders(try seen().cursor)
    #expect(try seen == self.seen())
    let (tag, other) = (EntityTag("\"one\""), EntityTag("\"two\""))
    let usable = seen.usable(at: Self.noon, with: known("1"))
    #expect(usable.isUnchanged(folder, tag))
    #expect(!usable.isUnchanged(folder, other))
    #expect(!usable.isUnchanged(folder, nil))
    #expect(!seen.usable(at: Self.noon, with: known("2")).isUnchanged(folder, tag))
    let tomorrow = Timestamp(seconds: Self.noon.seconds + 24 * 3600)
    #expect(!seen.usable(at: tomorrow, with: known("1")).isUnchanged(folder, tag))
    #expect(SeenFolders(Cursor(bytes: Array("something else".utf8))) == SeenFolders())
  }

  @Test("a folder with recently changed files is not remembered")
  func restless() throws {
    var found = Listing.Found()
    found.folders = [folder]
    found.tags = [folder: try EntityTag("\"one\"").orThrow("")]
    let young = Entry(path: path, revision: Revision("1"), isFirm: false)
    #expect(SeenFolders().next(found, [young], at: Self.noon, filter: PathFilter()).cursor == nil)
    let temporary = try folder.appending(Array("a.syncd-x.tmp".utf8)).orThrow("")
    found.temporaries = [Listing.Temporary(path: temporary, isFolder: false)]
    #expect(SeenFolders().next(found, [], at: Self.noon, filter: PathFilter()).cursor == nil)
  }

  @Test("a folder from which something disappeared during the listing is not remembered")
  func gone() throws {
    var found = Listing.Found()
    found.folders = [folder]
    found.tags = [folder: try EntityTag("\"one\"").orThrow("")]
    found.gone = [try folder.appending(Array("inner".utf8)).orThrow("")]
    #expect(SeenFolders().next(found, [], at: Self.noon, filter: PathFilter()).cursor == nil)
  }
}

/// A device whose listings are counted.
private struct CountedDevice {
  let device: TestDevice
  private let proxy: FaultyProxy

  init(_ name: String, _ server: TestServer, at url: String) async throws {
    let proxy = try await FaultyProxy(to: server.url)
    self.proxy = proxy
    device = try server.device(name, at: proxy.url(url))
  }

  /// The number of folders that a pass lists.
  func listings() async throws -> Int {
    // The rule never fires, but counts.
    try proxy.follow([["match": "^PROPFIND (.|\r|\n)*Depth: 1", "dir": "up", "nth": .max as Int]])
    try await device.expectHealthyRun("counted")
    return try proxy.counts().matched.first ?? 0
  }
}
