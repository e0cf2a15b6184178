import SyncKit
import SyncKitTesting
import Testing

@testable import CipherAge
@testable import SealedStorage
@testable import SyncKit

/// A remote of the former format is not synced, but migrated by a job that may be killed at each step.
@Suite struct MigrationTests {
  private static let files = [
    "a.org": "genuine\n", "folder/b.org": "two\n", "empty.org": "",
    String(repeating: "n", count: 150) + ".org": "a long name\n",
  ]
  private let a = SyncPath("a.org")!

  /// A remote of the former format, and a device that has the same files in its store.
  private func former(_ hidesNames: Bool) async throws -> (setup: EncryptedSetup, former: FormerRemote) {
    let cipher = EncryptedSetup.cipher(hidesNames: hidesNames)
    let setup = EncryptedSetup(cipher)
    for (path, text) in Self.files { try await setup.first.write(text, to: path) }
    return (setup, try await FormerRemote(in: setup.remote, cipher, files: Self.files))
  }

  @Test("a remote of the former format is not synced", arguments: [false, true])
  func isHeld(hidesNames: Bool) async throws {
    let (setup, _) = try await former(hidesNames)
    let before = await setup.remote.contents.mapValues(\.digest)
    for device in [setup.first, setup.second] {
      let report = await device.sync()
      #expect(report.result == .held && !report.didSomething, "\(report)")
      let message = report.failure?.message ?? ""
      #expect(message.contains("former format") && report.failure?.remedy == .rekey(remote: "test"), "\(message)")
    }
    #expect(await setup.remote.contents.mapValues(\.digest) == before)
    #expect(try await setup.second.texts().isEmpty)
  }

  @Test("this device's files are migrated, and the former format is never read again", arguments: [false, true])
  func migrates(hidesNames: Bool) async throws {
    let (setup, former) = try await former(hidesNames)
    let old = await setup.remote.contents
    let outcome = try await setup.first.rekeying(from: setup.cipher, to: setup.cipher).run()
    #expect(outcome.sealed == Self.files.count && outcome.unproven.isEmpty && outcome.held.isEmpty)
    try await expectMigrated(setup)
    // The server restores everything, with the former key.
    for path in await setup.remote.contents.keys { await setup.remote.take(path) }
    for (path, content) in old { await setup.remote.put(content, at: path) }
    for device in [setup.first, setup.second] {
      let report = await device.sync()
      #expect(report.result == .held && !report.didSomething)
    }
    // A user cannot be tricked into accepting it either.
    let trust = KeyTrust(setup.remote, setup.first.parts, setup.cipher)
    await #expect(throws: SyncError.self) { try await trust.accept(former.key.digest.fingerprint) }
    await #expect(throws: SyncError.self) {
      try await setup.first.rekeying(from: setup.cipher, to: setup.cipher, acceptsUnproven: true).run()
    }
  }

  @Test("a file of the former format in a migrated remote is refused", arguments: [false, true])
  func formerFile(hidesNames: Bool) async throws {
    let (setup, former) = try await former(hidesNames)
    _ = try await setup.first.rekeying(from: setup.cipher, to: setup.cipher).run()
    try await expectMigrated(setup)
    let place = try await setup.place(a)
    try await former.write(Array("forged\n".utf8), to: "a.org", number: 1 << 40)
    if hidesNames {
      let forged = try #require(await setup.remote.contents[try SealedNames(former.key).sealed(a)])
      await setup.remote.take(try SealedNames(former.key).sealed(a))
      await setup.remote.put(forged, at: place)
    }
    let report = await setup.second.sync()
    #expect(report.result == .held && !report.didSomething, "\(report)")
    #expect(try await setup.second.texts()["a.org"] == "genuine\n")
  }

  @Test("a forged file stops the migration until a person accepts it", arguments: [false, true])
  func unproven(hidesNames: Bool) async throws {
    let (setup, former) = try await former(hidesNames)
    // The attack on the former format: a copied label with another content.
    let place = try SealedNames(former.key).sealed(a)
    let original = try await (try #require(await setup.remote.contents[place])).bytes()
    let forger = AgeForger(recipient: EncryptedSetup.identity.recipient)
    await setup.remote.put(Content(try forger.forged(Array("forged\n".utf8), withLabelOf: original)), at: place)
    let marker = await setup.remote.contents[RootMarker.path]?.digest
    for _ in 0..<2 {
      let outcome = try await setup.first.rekeying(from: setup.cipher, to: setup.cipher).run()
      #expect(outcome.unproven == [a] && outcome.fingerprint == nil)
      #expect(await setup.remote.contents[RootMarker.path]?.digest == marker)
    }
    let outcome = try await setup.first.rekeying(from: setup.cipher, to: setup.cipher, acceptsUnproven: true).run()
    #expect(outcome.sealed == 1 && outcome.done == Self.files.count - 1 && outcome.fingerprint != nil)
    #expect(await setup.second.sync().result == .synced)
    #expect(try await setup.second.texts()["a.org"] == "forged\n")
  }

  @Test("the migration continues wherever it was killed", arguments: [false, true], [Fault.unreachable, .losesReply])
  func killedInStorage(hidesNames: Bool, fault: Fault) async throws {
    var step = 0
    while true {
      step += 1
      let (setup, _) = try await former(hidesNames)
      let faulty = FaultyStorage(setup.remote, plan: .nth(step, fault))
      do throws(SyncError) {
        _ = try await setup.first.rekeying(faulty, from: setup.cipher, to: setup.cipher).run()
      } catch {}
      let isOver = await faulty.faults == 0
      _ = try await setup.first.rekeying(from: setup.cipher, to: setup.cipher).run()
      try await expectMigrated(setup)
      if isOver { break }
    }
    #expect(step > 10)
  }

  @Test("the migration continues after a kill at any journal record", arguments: [false, true], [false, true])
  func killedInJournal(hidesNames: Bool, after: Bool) async throws {
    for step in 1...8 {
      let (setup, _) = try await former(hidesNames)
      let journal = MortalJournal(setup.first.journal, killedAt: step, after: after)
      do throws(SyncError) {
        _ = try await setup.first.rekeying(from: setup.cipher, to: setup.cipher, journal: journal).run()
      } catch {}
      _ = try await setup.first.rekeying(from: setup.cipher, to: setup.cipher).run()
      try await expectMigrated(setup)
    }
  }

  /// Requires that all files are in the current format, that both devices agree on them, and that the journal records the
  /// format.
  private func expectMigrated(_ setup: EncryptedSetup) async throws {
    let marker = try #require(try await setup.remote.sealedMarker())
    let side = try await Rekeying.Side(setup.cipher, with: marker.text.seal, setup.first.parts)
    #expect(side.key?.format == .provenContent)
    #expect(try await PendingKey(in: setup.first.journal) == nil)
    #expect(try await SealRecord.lowestFormat(in: setup.first.journal) == .provenContent)
    for device in [setup.first, setup.second, setup.first] {
      let report = await device.sync()
      #expect(report.result == .synced && report.counts.held == 0, "\(report)")
      #expect(try await device.texts() == Self.files)
    }
    #expect(await setup.remote.contents.count == Self.files.count + 1)
  }
}
