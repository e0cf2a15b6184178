import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import Testing

@testable import CloudWebDAV

/// A pass with one failure, at every possible place: nothing is lost, and the next calm run recovers.
@Suite("WebDAV over a bad network")
struct FaultTests {
  /// The normal run tries every Nth request.
  private static let stride = isSoak ? 1 : 17

  private static let breaks = FaultyProxy.breaks + [["corrupt_at": 300]]

  @Test("a pass survives lost connections", arguments: breaks.indices)
  func brokenConnections(kind: Int) async throws {
    guard let server = await TestServer.shared(.apache) else { return }
    let traits = try await server.probed()
    let proxy = try await FaultyProxy(to: server.url)
    let count = try await proxy.sweep(
      Self.breaks[kind], at: "^[A-Z]+ /", from: 1 + kind % Self.stride, by: Self.stride
    ) {
      try await server.troubledPass(knowing: traits, by: proxy.url)
    }
    #expect(count > 0)
  }

  private static let answers = [
    "html", "html-207", "cut-xml", "no-xml", "empty", "nobody", "204", "302", "301-https", "400", "401", "403", "404",
    "412", "423", "500", "507", "429-negative", "429-words", "503-past", "503-huge", "502", "504", "bomb", "twice",
    "stranger", "lost", "late-500", "late-html", "late-404",
  ]

  @Test("a pass survives invalid responses", arguments: answers)
  func falseAnswers(how: String) async throws {
    guard let server = await TestServer.shared(.apache) else { return }
    let traits = try await server.probed()
    let proxy = try await SpoilingProxy(to: server.url)
    let first = 1 + (Self.answers.firstIndex(of: how) ?? 0) % Self.stride
    let spoiled = try await FaultyPass.sweep(from: first, by: Self.stride, how) {
      try await server.troubledPass(knowing: traits, by: proxy.url)
    } disturb: { place in
      try await proxy.spoil(how, nth: place)
    } calm: { _ in
      let count = try await proxy.count().spoiled
      try await proxy.spoil(nil)
      return (count > 0, count)
    }
    #expect(spoiled > 0)
  }

  @Test(
    "a file does not count as deleted if the response does not say so",
    arguments: ["nobody", "inner-500", "blank-403", "blank-parent", "403", "500"])
  func unclear(how: String) async throws {
    guard let server = await TestServer.shared(.apache) else { return }
    let proxy = try await SpoilingProxy(to: server.url)
    let storage = try server.storage(at: proxy.url(server.folder().url))
    try await proxy.spoil(how, times: 1_000)
    let presence = try await storage.confirm(file: SyncPath("folder/a.org").orThrow(""))
    guard case .unknown = presence else {
      Issue.record("\(how) was reported as \(presence)")
      return
    }
  }

  @Test("files that the server reports as deleted count as deleted", arguments: ["404", "inner-410"])
  func absent(how: String) async throws {
    guard let server = await TestServer.shared(.apache) else { return }
    let proxy = try await SpoilingProxy(to: server.url)
    let storage = try server.storage(at: proxy.url(server.folder().url))
    try await proxy.spoil(how, times: 1_000)
    guard case .absent = try await storage.confirm(file: SyncPath("a.org").orThrow("")) else {
      Issue.record("\(how) was not accepted as absence")
      return
    }
  }

  @Test("a listing that fails or is truncated is requested again, as wsgidav and rclone send if a file disappears")
  func cutListing() async throws {
    guard let server = await TestServer.shared(.apache) else { return }
    let proxy = try await SpoilingProxy(to: server.url)
    let storage = try server.storage(at: proxy.url(server.folder().url))
    for how in ["cut-xml", "late-text", "500"] {
      try await proxy.spoil(how, times: 2)
      #expect(try await storage.list(since: Known()).unread.isEmpty, "\(how)")
      try await proxy.spoil(how, times: 1_000)
      let error = await #expect(throws: SyncError.self) { try await storage.list(since: Known()) }
      #expect(error?.code == .unavailable, "\(how)")
    }
  }

  @Test("files about which a listing says nothing are unread")
  func members() async throws {
    guard let server = await TestServer.shared(.apache) else { return }
    let proxy = try await SpoilingProxy(to: server.url)
    let storage = try server.storage(at: proxy.url(server.folder().url))
    try await proxy.spoil("inner-members", times: 1_000)
    let listing = try await storage.list(since: Known())
    #expect(listing.entries.map(\.path.description) == ["b.org"])
    #expect(listing.unread.map(\.path.description) == ["a.org", "c"])
  }

  @Test(
    "each error has the right code",
    arguments: [
      ("401", SyncError.Code.unauthorized), ("html", .unavailable), ("302", .unavailable), ("503-past", .unavailable),
      ("cut-xml", .unavailable), ("bomb", .unavailable), ("403", .pathFailed), ("endless-body", .unavailable),
      ("endless-head", .unavailable), ("deep", .unavailable), ("twice", .unavailable), ("stranger", .unavailable),
    ])
  func classOfError(how: String, code: SyncError.Code) async throws {
    guard let server = await TestServer.shared(.apache) else { return }
    let proxy = try await SpoilingProxy(to: server.url)
    let storage = try server.storage(at: proxy.url(server.folder().url))
    try await proxy.spoil(how, times: 1_000)
    do throws(SyncError) {
      _ = try await storage.list(since: Known())
      Issue.record("a listing was accepted with the response \(how)")
    } catch {
      #expect(error.code == code, "\(how): \(error)")
      #expect(!error.message.contains(server.password) && !(error.cause ?? "").contains(server.password))
    }
  }
}
