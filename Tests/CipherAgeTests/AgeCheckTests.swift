import EncryptionTesting
import ProgramTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CipherAge

/// The checks for every cipher and every `FileSealer`.
@Suite struct AgeCheckTests {
  @Test(arguments: CipherCheck.all, [false, true]) func keys(check: CipherCheck, armored: Bool) async throws {
    // AgeFormatTests tests each byte of the armored form.
    try await check.run(
      on: CheckedCipher(
        Pairs(1).cipher(armored: armored), stranger: Pairs(1).cipher(armored: armored),
        stride: isSoak ? 1 : armored ? 29 : 3))
  }

  /// A passphrase encrypts the remote's key; a key derived from that encrypts the files.
  @Test(arguments: CipherCheck.all) func passphrase(check: CipherCheck) async throws {
    func cipher(_ passphrase: String) throws -> any Cipher {
      var cipher = AgeCipher(
        keys: .passphrase(ScryptKey(passphrase: Array(passphrase.utf8))), random: Runtime.real.random)
      cipher.work = 4
      return try cipher.keyed(by: Array(Digest(of: passphrase.utf8).bytes))
    }
    try await check.run(
      on: CheckedCipher(cipher("correct horse"), stranger: cipher("battery"), stride: isSoak ? 1 : 17))
  }

  @Test(arguments: FileSealerCheck.all) func files(check: FileSealerCheck) async throws {
    let scratch = ScratchFolder()
    let keys = Pairs(2).identities
    try scratch.write(Array(keys[0].text.utf8), to: "key")
    var settings = Age.FileSettings()
    settings.identityFile = SettingPath(stringLiteral: scratch.path + "/key")
    settings.recipients = [keys[0].recipient.text]
    let path = SyncPath("notes.org.age")!
    let sealer = CheckedFileSealer(
      Age.fileSealer(settings, .real), stride: 5,
      sample: { try await Pairs([keys[0]]).cipher(armored: true).encrypt($0, as: path) },
      foreign: { try await Pairs([keys[1]]).cipher().encrypt($0, as: path) })
    try await check.run(on: sealer)
    withExtendedLifetime(scratch) {}
  }

  @Test func `a passphrase that requires much memory is refused before it is tried`() async throws {
    let key = ScryptKey(passphrase: Array("correct horse".utf8))
    var cipher = AgeCipher(keys: .passphrase(key), random: Runtime.real.random)
    cipher.work = 4
    let file = try await cipher.encrypt([1, 2, 3], as: SyncPath("a")!)
    let text = String(decoding: file.prefix { $0 < 0x80 }, as: UTF8.self)
    let head = try #require(text.split(separator: "\n").first { $0.hasPrefix("-> scrypt") })
    for work in [19, 20, 22, 40] {
      let changed = text.replacing(head, with: head.dropLast(1) + "\(work)")
      let bytes = Array(changed.utf8) + file.dropFirst(text.utf8.count)
      await #expect(throws: SyncError.self) { try await cipher.decrypt(bytes, as: SyncPath("a")!) }
    }
  }
}
