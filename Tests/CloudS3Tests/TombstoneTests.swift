import CurlHTTP
import Foundation
import HTTPStorage
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudS3

/// Removals on a server that does not keep conditions on DELETE.
@Suite struct TombstoneTests {
  /// A device that does not trust conditions on DELETE, although moto keeps them.
  private func storage(
    _ server: S3Server, _ prefix: String, _ removal: Traits.Removal, _ device: String = "device"
  ) async throws -> S3Storage {
    let journal = TestJournal()
    var record = try #require(ProbeRecord(try await server.probed()))
    record.traits.removal = removal
    journal.write(["s3.traits": record.bytes])
    return try await server.storage(prefix: prefix, journal: journal, device: device)
  }

  @Test("a tombstone that stays is absent to every device, and a file can be created in its place")
  func stays() async throws {
    guard let server = await S3Server.shared(.moto) else { return }
    let prefix = UUID().uuidString
    let one = try await storage(server, prefix, .tombstone, "one")
    let two = try await storage(server, prefix, .tombstone, "two")
    let name = try path("a.org")
    let entry = try await one.write(content("one\n"), to: name, if: .absent).done()
    guard case .done(nil) = try await one.remove(name, if: .unchanged(entry.revision)) else {
      Issue.record("not removed")
      return
    }
    let page = try await one.service.page(prefix: one.service.bucket.prefix, token: nil)
    #expect(page.objects.map(\.facts.size) == [Tombstone.size])
    for storage in [one, two] {
      #expect(try await storage.list(since: Known()).count == 0)
      #expect(try await storage.text(of: "a.org") == nil)
      guard case .absent = try await storage.confirm(file: name) else {
        Issue.record("a tombstone was presented as a file")
        return
      }
      guard case .refused(nil) = try await storage.write(content("x"), to: name, if: .unchanged(entry.revision)) else {
        Issue.record("a tombstone was overwritten as the former version")
        return
      }
    }
    _ = try await two.write(content("two\n"), to: name, if: .absent).done()
    #expect(try await one.text(of: "a.org") == "two\n")
  }

  @Test("a file is not put in the place of a young tombstone, and the removal is completed by its writer")
  func young() async throws {
    guard let server = await S3Server.shared(.moto) else { return }
    let prefix = UUID().uuidString
    let device = try await storage(server, prefix, .twoSteps)
    let (name, key) = (try path("a.org"), device.service.bucket.key(of: try path("a.org")))
    let entry = try await device.write(content("one\n"), to: name, if: .absent).done()
    // The writer is interrupted between the steps.
    var tombstone = Call.put(
      Tombstone.content("abc", device: "other"), at: key,
      if: .tag("\"\(ObjectFacts.tag(in: entry.revision))\""))
    tombstone.headers.append(.init(Header.tombstone, "abc"))
    #expect(try await device.service.change(tombstone).isGood)
    guard case .postponed = try await device.write(content("two\n"), to: name, if: .absent) else {
      Issue.record("a file was put in the place of a young tombstone")
      return
    }
    #expect(try await device.list(since: Known()).count == 0)
    let other = try path("b.org")
    let second = try await device.write(content("b\n"), to: other, if: .absent).done()
    guard case .done(nil) = try await device.remove(other, if: .unchanged(second.revision)) else {
      Issue.record("not removed")
      return
    }
    #expect(try await device.service.head(device.service.bucket.key(of: other), other) == nil)
  }

  @Test("a file of a tombstone's size is a file")
  func sameSize() async throws {
    guard let server = await S3Server.shared(.moto) else { return }
    let storage = try await storage(server, UUID().uuidString, .twoSteps)
    let text = String(repeating: "x", count: Tombstone.size)
    _ = try await storage.write(content(text), to: path("a.org"), if: .absent).done()
    #expect(try await storage.list(since: Known()).entries.map(\.size) == [Tombstone.size])
    #expect(try await storage.text(of: "a.org") == text)
  }

  @Test("a tombstone can be replaced after five minutes of the server's clock, never before")
  func age() {
    let traits = Traits(guardsCreations: true, tagForm: .quoted, removal: .twoSteps)
    let facts = ObjectFacts(tag: "t", size: Tombstone.size, modified: Timestamp(seconds: 1_000), tombstone: "abc")
    let canBeReplaced = { (seconds: Int64) in
      Tombstone.canBeReplaced(facts, at: Timestamp(seconds: seconds), traits)
    }
    #expect(!canBeReplaced(1_000) && !canBeReplaced(1_299) && canBeReplaced(1_300) && !canBeReplaced(0))
    #expect(!Tombstone.canBeReplaced(facts, at: nil, traits))
    #expect(Tombstone.content("abc", device: "d").size == Tombstone.size)
  }

  /// Each row: what is there, the condition, if the upload may have arrived; and what follows.
  @Test("an upload without a usable answer is resolved by a lookup")
  func decisions() {
    let traits = Traits(guardsCreations: true, tagForm: .quoted)
    let sent = Content([1, 2])
    let ours = ObjectFacts(tag: "o", size: 2, digest: sent.digest)
    let part = ObjectFacts(tag: "p", size: 1, digest: sent.digest)
    let theirs = ObjectFacts(tag: "t", size: 1, digest: Digest(of: [2]))
    let old = ObjectFacts(tag: "old", size: 1)
    let stone = ObjectFacts(tag: "s", size: Tombstone.size, tombstone: "abc")
    let rows: [(S3Files.Lookup, TagCondition, Bool, Upload.Step)] = [
      (.file(ours), .absent, true, .compare(ours)), (.file(ours), .absent, false, .overtaken(ours)),
      (.file(theirs), .absent, true, .overtaken(theirs)), (.absent, .absent, true, .again),
      (.file(old), .tag("\"old\""), true, .again), (.file(theirs), .tag("\"old\""), true, .overtaken(theirs)),
      (.file(part), .absent, true, .compare(part)), (.file(part), .tag("\"old\""), false, .compare(part)),
      (.file(ours), .tag("\"old\""), true, .compare(ours)), (.absent, .tag("\"old\""), true, .overtaken(nil)),
      (.tombstone(stone, date: nil), .tag("\"old\""), false, .overtaken(nil)),
      (.tombstone(stone, date: nil), .absent, false, .replaceTombstone("\"s\"")),
    ]
    for (found, condition, isUncertain, step) in rows {
      #expect(
        Upload.decide(found, condition, traits, sent: sent, isUncertain: isUncertain) == step, "\(found) \(condition)")
    }
    var checking = traits
    checking.checksBodies = true
    #expect(Upload.decide(.file(ours), .absent, checking, sent: sent, isUncertain: true) == .done(ours))
    #expect(Upload.decide(.file(part), .absent, checking, sent: sent, isUncertain: true) == .compare(part))
    var waiting = traits
    waiting.removal = .twoSteps
    #expect(
      Upload.decide(.tombstone(stone, date: nil), .absent, waiting, sent: sent, isUncertain: false) == .wait)
  }
}
