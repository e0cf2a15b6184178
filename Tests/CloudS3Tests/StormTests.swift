import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudS3

@Suite("Eight clients that edit one bucket at once", .serialized)
struct StormTests {
  private static let updates = isSoak ? 200 : 5

  /// The lines of a client that were accepted, and those whose result is unknown.
  private struct Ledger: Sendable {
    var accepted: [String] = []
    var unknown: [String] = []
  }

  @Test("no accepted line is lost while all edit one file")
  func oneFile() async throws {
    guard let server = await S3Server.shared(isSoak ? .ceph : .moto) else { return }
    try await storm(on: server, clients: 8) {}
  }

  @Test("no accepted line is lost while a gateway is ended abruptly")
  func killedGateway() async throws {
    guard await S3Server.shared(.ceph) != nil else { return }
    let server = try await S3Server(.ceph, ["--gateways", "2"])
    defer { server.stop() }
    try await storm(on: server, clients: 8) {
      try await Task.sleep(for: .seconds(3))
      try await server.kill("rgw2")
      try await Task.sleep(for: .seconds(3))
      try await server.startAgain("rgw2")
    }
  }

  private func storm(
    on server: S3Server, clients: Int, _ disturb: @escaping @Sendable () async throws -> Void
  ) async throws {
    let (prefix, name) = (UUID().uuidString, try path("storm.org"))
    let traits = try await server.probed()
    let first = try await client("first", prefix, server, traits)
    _ = try await first.write(content("start\n"), to: name, if: .absent).done()
    let ledger = try await withThrowingTaskGroup(of: Ledger.self) { group in
      group.addTask {
        try await disturb()
        return Ledger()
      }
      for number in 0..<clients {
        let storage = try await client("client\(number)", prefix, server, traits, endpoint: number)
        group.addTask { try await Self.update(name, on: storage, number) }
      }
      return try await group.reduce(into: Ledger()) {
        $0.accepted += $1.accepted
        $0.unknown += $1.unknown
      }
    }
    let lines = try await first.text(of: "storm.org")?.split(separator: "\n").map(String.init) ?? []
    #expect(Set(ledger.accepted).subtracting(lines) == [], "accepted and lost")
    #expect(Set(lines).subtracting(ledger.accepted + ledger.unknown + ["start"]) == [], "refused and stored")
    #expect(Set(lines).count == lines.count, "stored twice")
    #expect(!ledger.accepted.isEmpty)
    print(
      "storm on \(server.kind): \(ledger.accepted.count) of \(clients * Self.updates) updates were accepted, "
        + "\(ledger.unknown.count) unknown, \(lines.count - 1) lines are stored")
  }

  private func client(
    _ name: String, _ prefix: String, _ server: S3Server, _ traits: [UInt8], endpoint: Int = 0
  ) async throws -> S3Storage {
    let journal = TestJournal()
    journal.write(["s3.traits": traits])
    let address = server.endpoints[endpoint % server.endpoints.count]
    return try await server.storage(prefix: prefix, at: address, journal: journal, device: name)
  }

  /// Adds one line after the other; each accepted version contains all that were accepted before.
  private static func update(_ path: SyncPath, on storage: S3Storage, _ client: Int) async throws -> Ledger {
    var ledger = Ledger()
    for number in 0..<updates {
      let line = "client \(client) update \(number)"
      for _ in 0..<20 {
        let sink = MemorySink(limit: 1 << 20)
        do throws(SyncError) {
          guard case .read(let entry) = try await storage.read(file: path, into: sink) else { continue }
          let text = Content(sink.bytes + Array((line + "\n").utf8))
          let change = Change(
            path: path, content: text, condition: .unchanged(entry.revision), replaced: Content(sink.bytes))
          let result = try await storage.commit(change: change)
          if case .done = result {
            ledger.accepted.append(line)
            break
          }
          // A line with an unknown result may be stored, so it is not sent again.
          if case .unknown = result {
            ledger.unknown.append(line)
            break
          }
        } catch {
          guard error.reach != .pass else { throw error }
        }
      }
    }
    return ledger
  }

  // MARK: Removals

  @Test("no text is lost while clients create, edit and remove one file")
  func removals() async throws {
    guard let server = await S3Server.shared(isSoak ? .ceph : .moto) else { return }
    let prefix = UUID().uuidString
    let name = try path("life.org")
    let traits = try await server.probed()
    let clients = 8
    let lives = try await withThrowingTaskGroup(of: Life.self) { group in
      for number in 0..<clients {
        let storage = try await client("client\(number)", prefix, server, traits)
        group.addTask { try await Self.live(name, on: storage, number) }
      }
      return try await group.reduce(into: Life()) { $0.add($1) }
    }
    let last = try await client("last", prefix, server, traits)
    let left = try await last.text(of: "life.org")
    // Each version that was stored was read by the one who replaced or removed it, or is still there.
    let unaccounted = lives.stored.subtracting(lives.replaced).subtracting([left].compactMap(\.self))
    #expect(unaccounted.subtracting(lives.unknown) == [], "stored and lost")
    print("lives on \(server.kind): \(lives.stored.count.counted("version")), \(lives.removals.counted("removal"))")
  }

  private struct Life: Sendable {
    var stored: Set<String> = []
    var replaced: Set<String> = []
    var unknown: Set<String> = []
    var removals = 0

    mutating func add(_ other: Life) {
      stored.formUnion(other.stored)
      replaced.formUnion(other.replaced)
      unknown.formUnion(other.unknown)
      removals += other.removals
    }
  }

  private static func live(_ path: SyncPath, on storage: S3Storage, _ client: Int) async throws -> Life {
    var life = Life()
    var generator = SplitMix64(state: UInt64(client))
    for step in 0..<(updates * 2) {
      let text = "client \(client) step \(step)\n"
      let sink = MemorySink(limit: 1 << 20)
      let result: WriteResult
      var before: String?
      var isRemoval = false
      if case .read(let entry) = try await storage.read(file: path, into: sink) {
        before = String(decoding: sink.bytes, as: UTF8.self)
        isRemoval = Int.random(in: 0...2, using: &generator) == 0
        result =
          isRemoval
          ? try await storage.remove(path, if: .unchanged(entry.revision))
          : try await storage.write(content(text), to: path, if: .unchanged(entry.revision))
      } else {
        result = try await storage.write(content(text), to: path, if: .absent)
      }
      switch result {
      case .done:
        if let before { life.replaced.insert(before) }
        if isRemoval { life.removals += 1 } else { life.stored.insert(text) }
      case .unknown:
        life.unknown.formUnion([text] + [before].compactMap(\.self))
      default: break
      }
    }
    return life
  }
}
