import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudS3

@Suite("Convergence of devices over a real bucket")
struct ConvergenceTests {
  private static let servers = [S3Server.Kind.moto, .ceph]

  @Test("devices have the same files after random edits, and no line is lost", arguments: servers, [2, 8])
  func randomEdits(kind: S3Server.Kind, count: Int) async throws {
    guard let server = await S3Server.shared(kind) else { return }
    let seed = UInt64.random(in: 0...(.max))
    var generator = SplitMix64(state: seed)
    let (prefix, traits) = (UUID().uuidString, try await server.probed())
    var devices: [TestDevice] = []
    for number in 0..<count { devices.append(try await server.device("d\(number)", prefix: prefix, traits: traits)) }
    var lines: Set<String> = []
    for step in 0..<(isSoak ? 200 : 24) {
      let device = devices[Int.random(in: 0..<count, using: &generator)]
      let name = ["a.org", "b c.org", "d/e+1.org", "d/f/g\u{E9}%.org"].randomElement(using: &generator) ?? "a.org"
      let line = "line \(step) of \(device.name)\n"
      lines.insert(line)
      try await device.write((try await device.texts()[name] ?? "") + line, to: name)
      if Int.random(in: 0...2, using: &generator) == 0 { try await device.expectHealthyRun("seed \(seed)") }
    }
    for device in devices + devices { try await device.expectHealthyRun("seed \(seed)") }
    let texts = try await devices[0].texts()
    for device in devices { #expect(try await device.texts() == texts, "seed \(seed)") }
    let live = Set(texts.values.flatMap { $0.split(separator: "\n").map { "\($0)\n" } })
    #expect(lines.subtracting(live) == [], "seed \(seed)")
    let quiet = await devices[0].sync()
    #expect(!quiet.didSomething && quiet.result == .synced, "seed \(seed): \(quiet)")
  }

  @Test("deletions, moves and edits arrive", arguments: servers)
  func deletions(kind: S3Server.Kind) async throws {
    guard let server = await S3Server.shared(kind) else { return }
    let (prefix, traits) = (UUID().uuidString, try await server.probed())
    let one = try await server.device("one", prefix: prefix, traits: traits)
    let two = try await server.device("two", prefix: prefix, traits: traits)
    for name in ["keep.org", "delete.org", "edit.org", "old/move.org"] { try await one.write("* \(name)\n", to: name) }
    for device in [one, two] { try await device.expectHealthyRun("first") }
    #expect(try await two.texts() == one.texts())
    try await one.remove("delete.org")
    try await one.remove("old/move.org")
    try await one.write("* old/move.org\n", to: "new/move.org")
    try await two.write("* edited\n", to: "edit.org")
    for device in [one, two, one] { try await device.expectHealthyRun("second") }
    let expected = ["keep.org": "* keep.org\n", "edit.org": "* edited\n", "new/move.org": "* old/move.org\n"]
    #expect(try await one.texts() == expected)
    #expect(try await two.texts() == expected)
  }

  @Test("an emptied bucket does not count as deletions")
  func emptied() async throws {
    guard let server = await S3Server.shared(.moto) else { return }
    let prefix = UUID().uuidString
    let device = try await server.device("one", prefix: prefix)
    for number in 0..<10 { try await device.write("* \(number)\n", to: "\(number).org") }
    try await device.expectHealthyRun("first")
    let service = try await server.storage(prefix: prefix).service
    for object in try await service.page(prefix: service.bucket.prefix, token: nil).objects {
      _ = try await service.change(Call("DELETE", key: object.key))
    }
    let report = await device.sync()
    #expect(report.failure != nil || report.hold != nil)
    #expect(try await device.texts().count == 10)
  }

  @Test("an org-mobile staging area works in a bucket, with and without encryption", arguments: [nil, "secret"])
  func stagingArea(password: String?) async throws {
    guard let server = await S3Server.shared(.moto) else { return }
    let (prefix, traits) = (UUID().uuidString, try await server.probed())
    let desktop = try await server.device("desk", prefix: prefix, traits: traits)
    let phone = try await server.device("phone", prefix: prefix, traits: traits)
    try await StagingAreaExchange(desktop: desktop, phone: phone, password: password).run()
  }
}
