import EncryptionTesting
import Foundation
import ProgramTesting
import SyncKit
import Testing

@testable import CipherAge

/// Files that a user encrypted with age are decrypted, and encrypted again for the same recipients.
@Suite struct AgeFileTests {
  private static let text = Array("* A\nsome text\n".utf8)
  private let keys = Pairs(3).identities

  /// A sealer that opens files with the first key, and with these keys' recipients in the settings.
  private func files(_ scratch: ScratchFolder, recipients: [Int], identities: [Int] = [0]) throws -> AgeFiles {
    var settings = Age.FileSettings()
    settings.recipients = recipients.map { keys[$0].recipient.text }
    settings.identityFile = SettingPath(stringLiteral: scratch.path + "/key")
    try scratch.write(Array(identities.map { keys[$0].text + "\n" }.joined().utf8), to: "key")
    #expect(settings.contradictions.isEmpty)
    return AgeFiles(settings: settings, random: Runtime.real.random)
  }

  @Test(arguments: [[], ["-a"]])
  func `age decrypts a re-encrypted file for each recipient`(options: [String]) async throws {
    guard ScratchFolder.has("age") else { return }
    let scratch = ScratchFolder()
    let files = try files(scratch, recipients: [0, 1])
    try scratch.write(Self.text, to: "plain")
    let recipients = keys.prefix(2).flatMap { ["-r", $0.recipient.text] }
    try await scratch.succeed(["age"] + options + recipients + ["-o", "sealed", "plain"])
    let file = try await files.open(try #require(scratch.read("sealed")), atMost: 1_000)
    #expect(file.text == Self.text && file.isArmored == !options.isEmpty)
    #expect(file.readers == Set(keys.prefix(2).map(\.recipient.text)))
    try scratch.write(await files.seal(Self.text + Self.text, like: file), to: "again")
    for (index, key) in keys.enumerated() {
      try scratch.write(Array(key.text.utf8), to: "one")
      let outcome = try await scratch.run(["age", "-d", "-i", "one", "again"])
      #expect(outcome.status == (index < 2 ? 0 : 1))
      if index < 2 { #expect(Array(outcome.out) == Self.text + Self.text) }
    }
  }

  /// The recipients of a file, those in the settings, the available keys, and the resulting readers; nil: uncertain.
  private static let readers: [([Int], [Int], [Int], [Int]?)] = [
    ([0], [], [0], [0]), ([0], [0, 1], [0], [0]), ([0, 1], [0, 1], [0], [0, 1]), ([0, 1], [1], [0], [0, 1]),
    ([0, 1], [], [0], nil), ([0, 1], [0, 1, 2], [0], nil), ([0, 1, 2], [0, 1], [0], nil),
    ([0, 1], [], [0, 1], [0, 1]), ([0, 2], [1, 2], [0, 1], [0, 2]),
  ]

  @Test(arguments: readers.indices)
  func `recipients are those that are proven, and all configured ones if their number matches`(index: Int) async throws
  {
    let (sealedFor, recipients, identities, expected) = Self.readers[index]
    let scratch = ScratchFolder()
    let files = try files(scratch, recipients: recipients, identities: identities)
    let sealed = try await Pairs(sealedFor.map { keys[$0] }).cipher().encrypt(Self.text, as: SyncPath("a")!)
    do {
      let file = try await files.open(sealed, atMost: 1_000)
      #expect(expected.map { Set($0.map { keys[$0].recipient.text }) } == file.readers)
    } catch {
      #expect(expected == nil && error.message.contains("`recipients` in [store.age]"), "\(error)")
    }
  }

  @Test func `a file with a recipient of another kind is not re-encrypted`() async throws {
    let scratch = ScratchFolder()
    let files = try files(scratch, recipients: [])
    for (kind, isOpened) in [("ssh-ed25519", false), ("Xq?-grease", true), ("syncd/label", false)] {
      var sealing = try Sealing(random: Runtime.real.random) { fileKey in
        [try keys[0].recipient.wrap(fileKey, random: Runtime.real.random), Stanza([kind, "abcd"], body: [1, 2, 3])]
      }
      let sealed = try sealing.update(Self.text) + sealing.finish()
      do {
        let file = try await files.open(sealed, atMost: 1_000)
        #expect(isOpened && file.readers == [keys[0].recipient.text])
      } catch { #expect(!isOpened && error.message.contains("a kind of key"), "\(error)") }
    }
  }

  @Test func `a passphrase from the settings decrypts and encrypts`() async throws {
    let passphrase = ScryptKey(passphrase: Array("two words".utf8))
    var cipher = AgeCipher(keys: .passphrase(passphrase), random: Runtime.real.random)
    cipher.work = 10
    let sealed = try await cipher.encrypt(Self.text, as: SyncPath("a")!)
    var settings = Age.FileSettings()
    settings.passphrase = Secret("two words")
    let files = AgeFiles(settings: settings, random: Runtime.real.random)
    let file = try await files.open(sealed, atMost: 1_000)
    #expect(file.text == Self.text)
    #expect(try await cipher.decrypt(files.seal([1, 2], like: file), as: SyncPath("a")!) == [1, 2])
  }

  @Test func `a truncated file, a missing key and a wrong key are refused with the reason`() async throws {
    let scratch = ScratchFolder()
    let sealed = try await Pairs([keys[1]]).cipher().encrypt(Self.text, as: SyncPath("a")!)
    let own = try await Pairs([keys[0]]).cipher().encrypt(Self.text, as: SyncPath("a")!)
    let files = try files(scratch, recipients: [])
    for (opener, bytes, reason) in [
      (AgeFiles(settings: Age.FileSettings(), random: Runtime.real.random), own, "has no key: the settings name no"),
      (files, sealed, "was encrypted for other keys"), (files, Array(own.dropLast()), "is damaged"),
      (files, own + own, "is damaged"), (files, [UInt8](repeating: 65, count: 2_000), "more than can be merged"),
    ] as [(AgeFiles, [UInt8], String)] {
      do {
        _ = try await opener.open(bytes, atMost: 1_000)
        Issue.record("it was opened: \(reason)")
      } catch { #expect(error.message.contains(reason), "\(error)") }
    }
  }
}
