import EncryptionTesting
import Foundation
import ProgramTesting
import SyncKit
import Testing

@testable import CipherAge

/// The program age decrypts files that are encrypted here, and vice versa.
@Suite struct AgeProgramTests {
  static let sizes = [0, 1, 65_535, 65_536, 65_537, 131_072, 3_000_000]
  private let path = SyncPath("a.org")!

  @Test(arguments: sizes, [false, true])
  func `age decrypts what is encrypted here`(size: Int, armored: Bool) async throws {
    guard ScratchFolder.has("age") else { return }
    let (scratch, keys) = (ScratchFolder(), Pairs(2))
    let content = noise(size)
    let cipher = keys.cipher(armored: armored)
    try scratch.write(await cipher.encrypt(content, as: path, label: [1, 2, 3]), to: "sealed")
    for (index, identity) in keys.identities.enumerated() {
      try scratch.write(Array("# a comment\n\(identity.text)\n".utf8), to: "key")
      try await scratch.succeed(["age", "-d", "-i", "key", "-o", "plain\(index)", "sealed"])
      // age writes no file for an empty content.
      #expect(scratch.read("plain\(index)") ?? [] == content)
    }
  }

  @Test(arguments: sizes, [[], ["-a"]])
  func `what age encrypts is decrypted here`(size: Int, options: [String]) async throws {
    guard ScratchFolder.has("age") else { return }
    let (scratch, keys) = (ScratchFolder(), Pairs(2))
    let content = noise(size, seed: 2)
    try scratch.write(content, to: "plain")
    let recipients = keys.identities.flatMap { ["-r", $0.recipient.text] }
    try await scratch.succeed(["age"] + options + recipients + ["-o", "sealed", "plain"])
    let sealed = try #require(scratch.read("sealed"))
    for identity in keys.identities {
      #expect(try await Pairs([identity]).cipher().decrypt(sealed, as: path) == content)
    }
    await #expect(throws: SyncError.self) { try await Pairs(1).cipher().decrypt(sealed, as: path) }
  }

  @Test func `keys of age-keygen are read, and age-keygen reads ours`() async throws {
    guard ScratchFolder.has("age-keygen") else { return }
    let scratch = ScratchFolder()
    try await scratch.succeed(["age-keygen", "-o", "key"])
    var settings = Age.Settings()
    settings.identityFile = SettingPath(stringLiteral: scratch.path + "/key")
    settings.recipients = [try await publicKey(of: "key", in: scratch)]
    #expect(settings.contradictions.isEmpty)
    let source = KeySource(passphrase: nil, owner: "it ")
    guard case .pairs(let identities, let recipients) = try await source.keys(for: settings)
    else {
      Issue.record("the keys are not pairs")
      return
    }
    #expect(identities.map(\.recipient) == recipients)
    let own = Pairs(1).identities[0]
    try scratch.write(Array((own.text + "\n").utf8), to: "own")
    #expect(try await publicKey(of: "own", in: scratch) == own.recipient.text)
  }

  private func publicKey(of file: String, in scratch: ScratchFolder) async throws -> String {
    let outcome = try await scratch.run(["age-keygen", "-y", file])
    return outcome.text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test func `passphrases work in both directions with age`() async throws {
    guard ScratchFolder.has("age") else { return }
    let scratch = ScratchFolder()
    let content = noise(70_000)
    let prompt = URL(filePath: #filePath).deletingLastPathComponent().path + "/age-prompt.py"
    var cipher = AgeCipher(
      keys: .passphrase(ScryptKey(passphrase: Array("two words é".utf8))), random: Runtime.real.random)
    cipher.work = 10
    try scratch.write(await cipher.encrypt(content, as: path), to: "ours")
    try await scratch.succeed(["python3", prompt, "two words é", "age", "-d", "-o", "plain", "ours"])
    #expect(scratch.read("plain") == content)
    try await scratch.succeed(["python3", prompt, "two words é", "age", "-p", "-o", "theirs", "plain"])
    let theirs = try #require(scratch.read("theirs"))
    #expect(try await cipher.decrypt(theirs, as: path) == content)
    let other = AgeCipher(
      keys: .passphrase(ScryptKey(passphrase: Array("two words".utf8))), random: Runtime.real.random)
    await #expect(throws: SyncError.self) { try await other.decrypt(theirs, as: path) }
  }

  @Test func `a remote with a passphrase can be decrypted by hand`() async throws {
    guard ScratchFolder.has("age") else { return }
    let scratch = ScratchFolder()
    let key = noise(32)
    let cipher = AgeCipher(keys: .passphrase(ScryptKey(passphrase: [65])), random: Runtime.real.random)
    try scratch.write(Array(cipher.note(for: key).utf8), to: "key")
    try scratch.write(await cipher.keyed(by: key).encrypt([1, 2, 3], as: path, label: [7]), to: "sealed")
    try await scratch.succeed(["age", "-d", "-i", "key", "-o", "plain", "sealed"])
    #expect(scratch.read("plain") == [1, 2, 3])
  }

  @Test(.enabled(if: isSoak))
  func `a hundred megabytes pass in both directions`() async throws {
    guard ScratchFolder.has("age") else { return }
    let (scratch, keys) = (ScratchFolder(), Pairs(1))
    let content = noise(100_000_000)
    try scratch.write(await keys.cipher().encrypt(content, as: path), to: "ours")
    try scratch.write(Array(keys.identities[0].text.utf8), to: "key")
    try await scratch.succeed(["age", "-d", "-i", "key", "-o", "plain", "ours"])
    #expect(scratch.read("plain") == content)
    try await scratch.succeed(["age", "-a", "-r", keys.identities[0].recipient.text, "-o", "theirs", "plain"])
    #expect(try await keys.cipher().decrypt(try #require(scratch.read("theirs")), as: path) == content)
  }
}

/// Some pairs of keys.
struct Pairs {
  let identities: [Identity]

  init(_ count: Int) {
    identities = (0..<count).compactMap { _ in Identity(bytes: Runtime.real.random(32)) }
  }

  init(_ identities: [Identity]) { self.identities = identities }

  func cipher(armored: Bool = false) -> AgeCipher {
    var cipher = AgeCipher(
      keys: .pairs(identities: identities, recipients: identities.map(\.recipient)), random: Runtime.real.random)
    cipher.armored = armored
    return cipher
  }
}
