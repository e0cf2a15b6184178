import CloudFolder
import EncryptionTesting
import Foundation
import ProgramTesting
import SealedStorage
import SyncKit
import SyncKitTesting
import Testing

@testable import CipherAge

/// An encrypted storage keeps the promises of every storage, and returns only its own content.
@Suite struct EncryptedStorageTests {
  @Test("an encrypted storage passes the storage checks", arguments: StorageCheck.all, [false, true])
  func memory(check: StorageCheck, hidesNames: Bool) async throws {
    try await check.run(on: {
      let memory = MemoryStorage(hasRoot: false)
      return (memory.sealed(hidesNames: hidesNames), memory.sealed(hidesNames: hidesNames))
    })
  }

  @Test("an encrypted storage passes the replica checks", arguments: ReplicaCheck.all, [false, true])
  func replica(check: ReplicaCheck, hidesNames: Bool) async throws {
    try await check.run(on: {
      let memory = MemoryStorage(hasRoot: false)
      let (one, other) = (memory.sealed(hidesNames: hidesNames), memory.sealed(hidesNames: hidesNames))
      return (
        StorageReplica(one, .inMemory(storage: one, seed: 1)), StorageReplica(other, .inMemory(storage: other, seed: 2))
      )
    })
  }

  @Test("an encrypted folder passes the storage checks", arguments: StorageCheck.all, [false, true])
  func folder(check: StorageCheck, hidesNames: Bool) async throws {
    let scratch = ScratchFolder()
    try await check.run(
      on: {
        var settings = Folder.Settings()
        settings.path = SettingPath(stringLiteral: "\(scratch.path)/\(UUID().uuidString)")
        settings.create = true
        let context = PluginContext(table: "test", environment: SettingsEnvironment(folder: scratch.path))
        let plugin = Folder(settings, context)
        let cipher = EncryptedSetup.cipher(hidesNames: hidesNames)
        let (one, other) = (RemoteParts.inMemory(seed: 1), RemoteParts.inMemory(seed: 2))
        return (
          try await plugin.open(one).encrypted(with: cipher, one),
          try await plugin.open(other).encrypted(with: cipher, other)
        )
      }, quirks: ServerQuirk.fileTree)
    withExtendedLifetime(scratch) {}
  }

  private let a = SyncPath("a.org")!
  private let b = SyncPath("folder/b.org")!

  @Test("no plaintext reaches the storage, and equal contents are encrypted differently", arguments: [false, true])
  func canary(hidesNames: Bool) async throws {
    let setup = try await EncryptedSetup(hidesNames: hidesNames)
    for path in ["canary.org", "canary/canary.org"] { try await setup.first.write("canary", to: path) }
    #expect(await setup.first.sync().result == .synced)
    let files = await setup.remote.contents
    #expect(files.count == 3)
    var sealed: Set<Digest> = []
    for (path, content) in files {
      let bytes = try await content.bytes()
      #expect(bytes.firstRange(of: Array("canary".utf8)) == nil)
      #expect(!hidesNames || path.bytes.firstRange(of: Array("canary".utf8)) == nil)
      #expect(sealed.insert(content.digest).inserted)
    }
    #expect(await setup.second.sync().result == .synced)
    #expect(try await setup.second.texts() == ["canary.org": "canary", "canary/canary.org": "canary"])
  }

  @Test("two devices converge, and another pass writes nothing", arguments: [false, true])
  func agreement(hidesNames: Bool) async throws {
    let setup = try await EncryptedSetup(hidesNames: hidesNames)
    try await setup.first.write("one\n", to: "a.org")
    try await setup.first.write(String(repeating: "x", count: 3_000_000), to: "folder/large")
    try await setup.first.write(
      "long\n", to: String(repeating: "n", count: 200) + "/" + String(repeating: "ü", count: 120))
    #expect(await setup.first.sync().result == .synced)
    #expect(await setup.second.sync().result == .synced)
    #expect(try await setup.second.texts() == setup.first.texts())
    try await setup.second.write("two\n", to: "a.org")
    #expect(await setup.second.sync().counts.copied == 1)
    #expect(await setup.first.sync().counts.copied == 1)
    #expect(try await setup.second.texts() == setup.first.texts())
    let before = await setup.remote.contents.mapValues(\.digest)
    for device in [setup.first, setup.second] { #expect(await device.sync().didSomething == false) }
    #expect(await setup.remote.contents.mapValues(\.digest) == before)
  }

  @Test("equal contents that both sides encrypted cause no change and no upload")
  func equal() async throws {
    let setup = try await EncryptedSetup()
    for device in [setup.first, setup.second] { try await device.write("one\n", to: "a.org") }
    #expect(await setup.first.sync().counts.copied == 1)
    let report = await setup.second.sync()
    #expect(report.result == .synced && !report.didSomething && report.bytes.up == 0)
    // A member encrypts the same content once more.
    let entry = try await setup.entry(a)
    _ = try await setup.first.storage.write(Content(Array("one\n".utf8)), to: a, if: .unchanged(entry.revision))
    let again = await setup.second.sync()
    #expect(again.result == .synced && !again.didSomething)
  }

  @Test("swapped files are held, and neither side changes", arguments: [false, true])
  func swapped(hidesNames: Bool) async throws {
    let setup = try await EncryptedSetup(hidesNames: hidesNames)
    try await setup.settle(["a.org": "one\n", "folder/b.org": "two\n"])
    let (first, second) = (try await setup.place(a), try await setup.place(b))
    let contents = await setup.remote.contents
    await setup.remote.put(try #require(contents[first]), at: second)
    await setup.remote.put(try #require(contents[second]), at: first)
    for device in [setup.first, setup.second] {
      let report = await device.sync()
      #expect(report.result == .held && report.counts.held == 2 && !report.didSomething)
      #expect(report.actions.allSatisfy { $0.detail.contains("encrypted for another path") })
      #expect(try await device.texts() == ["a.org": "one\n", "folder/b.org": "two\n"])
    }
    // An edit does not overwrite a held file.
    try await setup.first.write("three\n", to: "a.org")
    #expect(await setup.first.sync().result == .held)
    #expect(await setup.remote.contents[first]?.digest == contents[second]?.digest)
  }

  @Test("a restored older version is held, also after its removal", arguments: [false, true])
  func replayed(hidesNames: Bool) async throws {
    let setup = try await EncryptedSetup(hidesNames: hidesNames)
    try await setup.settle(["a.org": "one\n", "folder/b.org": "two\n"])
    let place = try await setup.place(a)
    let old = try #require(await setup.remote.contents[place])
    try await setup.first.write("newer\n", to: "a.org")
    #expect(await setup.first.sync().result == .synced)
    #expect(await setup.second.sync().result == .synced)
    let new = try #require(await setup.remote.contents[place])
    await setup.remote.put(old, at: place)
    for device in [setup.first, setup.second] {
      let report = await device.sync()
      #expect(report.result == .held && report.actions.allSatisfy { $0.detail.contains("older version") })
      #expect(try await device.texts()["a.org"] == "newer\n")
    }
    await setup.remote.put(new, at: place)
    for device in [setup.first, setup.second] { #expect(await device.sync().result == .synced) }
    await setup.first.store.take(a)
    #expect(await setup.first.sync().result == .synced)
    await setup.remote.put(new, at: place)
    #expect(await setup.first.sync().result == .held)
    #expect(try await setup.first.texts()["a.org"] == nil)
    let outcome = try await setup.first.rekeying(from: setup.cipher, to: setup.cipher).run()
    #expect(outcome.removed == [a] && outcome.held.isEmpty && outcome.sealed == 1)
    #expect(await setup.first.sync().result == .synced)
    #expect(try await setup.first.texts() == ["folder/b.org": "two\n"])
  }

  @Test("a file that another device writes again is not an older version, although other files were removed before")
  func removedAmongOthers() async throws {
    let setup = try await EncryptedSetup()
    try await setup.settle(["a.org": "one\n", "folder/b.org": "two\n"])
    // The device that removes both is stopped before it can record its highest number in the marker.
    for path in [a, b] {
      let revision = try await setup.entry(path).revision
      _ = try await setup.first.storage.remove(path, if: .unchanged(revision))
    }
    _ = try await setup.second.storage.write(Content(Array("again\n".utf8)), to: b, if: .absent)
    let sink = MemorySink(limit: 100)
    guard case .read = try await setup.first.storage.read(file: b, into: sink) else {
      Issue.record("the last version was not read")
      return
    }
    #expect(sink.bytes == Array("again\n".utf8))
  }

  @Test("a file that returns after its removal is not an older version")
  func comesAgain() async throws {
    let setup = try await EncryptedSetup()
    try await setup.settle(["a.org": "one\n", "folder/b.org": "two\n"])
    for round in 0..<3 {
      await setup.first.store.take(a)
      #expect(await setup.first.sync().result == .synced)
      let third = setup.device("third \(round)")
      #expect(await third.sync().result == .synced)
      try await third.write("again \(round)\n", to: "a.org")
      #expect(await third.sync().result == .synced)
      #expect(await setup.first.sync().result == .synced)
      #expect(try await setup.first.texts()["a.org"] == "again \(round)\n")
    }
  }

  @Test("unencrypted, truncated, changed and foreign files are held and left unchanged")
  func foreign() async throws {
    let setup = try await EncryptedSetup()
    try await setup.settle(["a.org": "one\n", "folder/b.org": "two\n"])
    let sealed = try await (try #require(await setup.remote.contents[a])).bytes()
    var flipped = sealed
    flipped[flipped.count - 1] ^= 1
    let stranger = try await AgeCipher.forTests().encrypt(Array("text\n".utf8), as: a)
    let unlabelled = try await EncryptedSetup.cipher().encrypt(Array("text\n".utf8), as: a)
    for bytes in [
      Array("readable\n".utf8), [], Array(sealed.dropLast()), Array(sealed.prefix(30)), flipped, stranger, unlabelled,
    ] {
      await setup.remote.put(Content(bytes), at: a)
      await setup.remote.put(Content(bytes), at: SyncPath("new.org")!)
      let report = await setup.second.sync()
      #expect(report.result == .held && report.counts.held == 2 && !report.didSomething)
      #expect(try await setup.second.texts() == ["a.org": "one\n", "folder/b.org": "two\n"])
      #expect(await setup.remote.contents[a]?.digest == Digest(of: bytes))
    }
    await setup.remote.take(SyncPath("new.org")!)
    await setup.remote.put(Content(sealed), at: a)
    #expect(await setup.second.sync().result == .synced)
  }

  @Test("a device with other encryption settings writes nothing to an encrypted remote")
  func failsClosed() async throws {
    let setup = try await EncryptedSetup()
    try await setup.settle(["a.org": "one\n"])
    let before = await setup.remote.contents.mapValues(\.digest)
    let readable = TestDevice("readable", storage: setup.remote)
    try await readable.write("mine\n", to: "mine.org")
    #expect(await readable.sync().result == .held)
    let stranger = setup.device("stranger", cipher: AgeCipher.forTests())
    try await stranger.write("mine\n", to: "mine.org")
    #expect(await stranger.sync().result == .unauthorized)
    let otherNames = setup.device("other", cipher: EncryptedSetup.cipher(hidesNames: true))
    try await otherNames.write("mine\n", to: "mine.org")
    #expect(await otherNames.sync().result == .held)
    #expect(await setup.remote.contents.mapValues(\.digest) == before)
  }

  @Test("a remote with unencrypted files is not encrypted by a pass")
  func readableRemote() async throws {
    let setup = try await EncryptedSetup()
    let readable = TestDevice("readable", storage: setup.remote)
    try await readable.write("one\n", to: "a.org")
    #expect(await readable.sync().result == .synced)
    try await setup.first.write("two\n", to: "b.org")
    let report = await setup.first.sync()
    #expect(report.result == .held && report.failure?.remedy == .rekey(remote: "test"))
    #expect(await setup.remote.contents[SyncPath("b.org")!] == nil)
  }

  @Test("a marker with another key is not accepted")
  func exchangedKey() async throws {
    let setup = try await EncryptedSetup()
    try await setup.settle(["a.org": "one\n"])
    let other = try await EncryptedSetup()
    try await other.settle(["a.org": "evil\n"])
    for (path, content) in await other.remote.contents { await setup.remote.put(content, at: path) }
    let report = await setup.first.sync()
    #expect(report.result == .held && !report.didSomething)
    #expect(try await setup.first.texts() == ["a.org": "one\n"])
  }
}
