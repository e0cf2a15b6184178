import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudS3

@Suite("S3 servers")
struct ConformanceTests {
  @Test("a part of a bucket passes the storage checks", arguments: [S3Server.Kind.moto, .ceph], StorageCheck.all)
  func storage(kind: S3Server.Kind, check: StorageCheck) async throws {
    guard let server = await S3Server.shared(kind) else { return }
    let traits = try await Self.traits(of: server)
    try await check.run(
      on: {
        let prefix = UUID().uuidString
        // Each device keeps its own probe results, like the passes of a remote.
        let (one, other) = (TestJournal(), TestJournal())
        for journal in [one, other] { journal.write(["s3.traits": traits]) }
        return (
          try await server.storage(prefix: prefix, journal: one, device: "one"),
          try await server.storage(prefix: prefix, journal: other, device: "other")
        )
      }, unreachable: { try await server.storage(prefix: "x", at: "http://127.0.0.1:1") },
      secrets: [server.secretKey])
  }

  private static let probes = SharedProbes()

  private static func traits(of server: S3Server) async throws -> [UInt8] { try await probes.record(of: server) }

  /// Probes each server once.
  private actor SharedProbes {
    private var records: [S3Server.Kind: Task<[UInt8], any Error>] = [:]

    func record(of server: S3Server) async throws -> [UInt8] {
      let probe = records[server.kind] ?? Task { try await server.probed() }
      records[server.kind] = probe
      return try await probe.value
    }
  }
}

@Suite("What a probe finds")
struct ProbeTests {
  @Test("a server is used by what was observed of it", arguments: [S3Server.Kind.moto, .ceph])
  func traits(kind: S3Server.Kind) async throws {
    guard let server = await S3Server.shared(kind) else { return }
    let record = try #require(ProbeRecord(try await server.probed()))
    #expect(record.traits.isSafe)
    #expect(record.traits.tagForm == (kind == .ceph ? .bare : .quoted))
    #expect(record.traits.removal == (kind == .ceph ? .twoSteps : .condition))
    #expect(record.traits.checksBodies == (kind == .ceph))
    #expect(record.traits.copies == (kind == .moto))
    #expect(record.traits.keepsVersions == false)
    #expect(ProbeRecord(record.bytes) == record)
  }

  @Test(
    "a server that ignores or refuses conditions is refused, with the reason",
    arguments: [S3Server.Kind.pys3local, .swift])
  func refusal(kind: S3Server.Kind) async throws {
    guard let server = await S3Server.shared(kind) else { return }
    let prefix = UUID().uuidString
    let storage = try await server.storage(prefix: prefix)
    let error = await #expect(throws: SyncError.self) {
      try await storage.write(content("one\n"), to: path("a.org"), if: .absent)
    }
    #expect(error?.code == .invalidSettings, "\(String(describing: error))")
    #expect(error?.message.contains("`If-None-Match` on an upload") == true, "\(String(describing: error))")
    #expect(error?.message.contains("unsafe-writes") == true)
    #expect(try await storage.list(since: Known()).count == 0)
    let findings = try await storage.diagnose()
    #expect(findings.contains { $0.level == .problem && $0.text.contains("If-None-Match") }, "\(findings)")
  }

  @Test("with unsafe-writes one device can use such a server", arguments: [S3Server.Kind.pys3local, .swift])
  func unsafeWrites(kind: S3Server.Kind) async throws {
    guard let server = await S3Server.shared(kind) else { return }
    let device = try await server.device("one", prefix: UUID().uuidString) { $0.unsafeWrites = true }
    try await device.write("one\n", to: "d/a.org")
    try await device.expectHealthyRun("first")
    try await device.write("two\n", to: "d/a.org")
    try await device.expectHealthyRun("second")
    #expect(try await device.storage.text(of: "d/a.org") == "two\n")
    await device.store.take(try path("d/a.org"))
    for name in ["b", "c", "e"] { try await device.write("* \(name)\n", to: "\(name).org") }
    try await device.expectHealthyRun("third")
    #expect(try await device.storage.list(since: Known()).count == 3)
  }

  @Test("a probe leaves nothing behind", arguments: [S3Server.Kind.moto, .ceph])
  func leftovers(kind: S3Server.Kind) async throws {
    guard let server = await S3Server.shared(kind) else { return }
    let storage = try await server.storage(prefix: UUID().uuidString)
    let findings = try await storage.diagnose()
    #expect(!findings.contains { $0.level == .problem }, "\(findings)")
    let page = try await storage.service.page(prefix: storage.service.bucket.prefix, token: nil)
    #expect(page.objects.isEmpty)
  }

  @Test("the price of looking for changes is that of AWS's list, in cents rounded up")
  func prices() {
    let text = { (pages: Int) in Prices.finding(listing: pages, isAtAWS: true).text }
    // 8640 listings; 8640 GET and 30 times 1000 listings.
    #expect(text(1).contains("8640 requests a month, which cost $0.05"))
    #expect(text(1_000).contains("38640 requests a month, which cost $0.16"))
  }
}
