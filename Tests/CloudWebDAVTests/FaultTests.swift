import Foundation
import ServerTesting
import SyncKit
import Testing

@testable import CloudWebDAV

/// A pass with one thing going wrong, at every place where it can: nothing is lost, and the next calm run heals.
@Suite("A pass over a bad network")
struct FaultTests {
  /// Every so many places are tried in the normal run.
  private static let stride = soak ? 1 : 17

  private static let breaks: [[String: any Sendable]] = [
    ["cut_after": 0], ["reset_after": 0], ["cut_after": 60], ["truncate_after": 250], ["corrupt_at": 300],
    ["cut_after": 0, "dir": "up"], ["reset_after": 40, "dir": "up"], ["truncate_after": 150, "dir": "up"],
    ["blackhole_after": 0], ["blackhole_after": 200],
  ]

  @Test("survives broken connections", arguments: Array(breaks.indices))
  func brokenConnections(kind: Int) async throws {
    guard let server = await TestServer.shared(.apache) else { return }
    let traits = try await server.probed()
    let proxy = try await FaultyProxy(to: server.url)
    var (nth, fired) = (1 + kind % Self.stride, 0)
    while true {
      let comment = "\(Self.breaks[kind]) at request \(nth)"
      let pass = try await TroubledPass(on: server, knowing: traits, by: proxy.url)
      try proxy.follow([Self.breaks[kind].merging(["match": "^[A-Z]+ /", "nth": nth, "times": 1]) { $1 }])
      _ = await pass.device.sync()
      let count = try proxy.counts()
      try proxy.follow([])
      try await pass.expectNothingLost(comment)
      try await pass.expectHealing(comment)
      guard count.matched.first == nth || count.fired.first == 1 else { break }
      fired += count.fired.first ?? 0
      nth += Self.stride
    }
    #expect(fired > 0)
  }

  private static let answers = [
    "html", "html-207", "cut-xml", "no-xml", "empty", "nobody", "204", "302", "301-https", "400", "401", "403", "404",
    "412", "423", "500", "507", "429-negative", "429-words", "503-past", "503-huge", "502", "504", "bomb", "twice",
    "stranger", "lost", "late-500", "late-html", "late-404",
  ]

  @Test("survives senseless answers", arguments: answers)
  func senselessAnswers(how: String) async throws {
    guard let server = await TestServer.shared(.apache) else { return }
    let traits = try await server.probed()
    let proxy = try await SpoilingProxy(to: server.url)
    let first = (Self.answers.firstIndex(of: how) ?? 0) % Self.stride
    var (nth, spoiled) = (1 + first, 0)
    while true {
      let pass = try await TroubledPass(on: server, knowing: traits, by: proxy.url)
      try await proxy.spoil(how, nth: nth)
      _ = await pass.device.sync()
      let count = try await proxy.count()
      try await proxy.spoil(nil)
      try await pass.expectNothingLost("\(how) at request \(nth)")
      try await pass.expectHealing("\(how) at request \(nth)")
      guard count.spoiled > 0 else { break }
      spoiled += count.spoiled
      nth += Self.stride
    }
    #expect(spoiled > 0)
  }

  @Test(
    "says what is wrong in the right class",
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
      Issue.record("a listing that was answered by \(how) was believed")
    } catch {
      #expect(error.code == code, "\(how): \(error)")
      #expect(!error.message.contains(server.password) && !(error.cause ?? "").contains(server.password))
    }
  }
}
