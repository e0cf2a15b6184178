import EncryptionTesting
import Foundation
import ProgramTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CipherGPG

/// The program gpg decrypts files that are encrypted here, and vice versa, with separate keyrings.
@Suite(.serialized) struct GPGTests {
  private let path = SyncPath("a.org")!

  @Test(arguments: [0, 1, 65_536, 3_000_000])
  func `gpg decrypts what is encrypted here, and the reverse`(size: Int) async throws {
    guard let home = try GPGHome() else { return }
    try await home.makeKey("Ann <ann@example.org>")
    defer { withExtendedLifetime(home) {} }
    let content = noise(size)
    let cipher = try await home.cipher(["ann@example.org"])
    try home.scratch.write(await cipher.encrypt(content, as: path, label: noise(68)), to: "sealed")
    try await home.gpg("-o", "plain", "-d", "sealed")
    #expect(home.scratch.read("plain") == content)
    try await home.gpg("-r", "ann@example.org", "-o", "theirs", "-e", "plain")
    try await home.gpg("-a", "-r", "ann@example.org", "-o", "armored", "-e", "plain")
    for name in ["theirs", "armored"] {
      let sealed = try #require(home.scratch.read(name))
      #expect(cipher.isEncrypted(sealed))
      #expect(try await cipher.decrypt(sealed, as: path) == content)
    }
  }

  @Test func `a label is bound to its file, and every change is refused`() async throws {
    guard let home = try GPGHome() else { return }
    try await home.makeKey("Ann <ann@example.org>")
    defer { withExtendedLifetime(home) {} }
    let cipher = try await home.cipher(["ann@example.org"])
    let label = noise(68)
    let sealed = try await cipher.encrypt(noise(100), as: path, label: label)
    var stream = try cipher.decryptor()
    #expect(try await stream.run(sealed) == noise(100))
    #expect(stream.label == label)
    var refused = 0
    for index in stride(from: 0, to: sealed.count, by: isSoak ? 1 : 67) {
      var other = sealed
      other[index] ^= UInt8(1 << (index % 8))
      for bytes in [other, Array(sealed[..<index])] {
        do {
          var stream = try cipher.decryptor()
          let plain = try await stream.run(bytes)
          #expect(
            plain == noise(100) && stream.label == label, "byte \(index) changed, and a different content was decrypted"
          )
        } catch { refused += 1 }
      }
    }
    #expect(refused > 0)
  }

  @Test func `unusable keys are named with the reason`() async throws {
    guard let home = try GPGHome() else { return }
    try await home.makeKey("Ann <ann@example.org>")
    defer { withExtendedLifetime(home) {} }
    #expect(try await home.refusal(["eve@example.org"]).contains("the keyring has no key of eve@example.org"))
    try await home.makeKey("Bob <bob@example.org>", expires: "seconds=1")
    try await Task.sleep(for: .seconds(2))
    #expect(try await home.refusal(["bob@example.org"]).contains("has expired"))
    guard let other = try GPGHome() else { return }
    try await other.makeKey("Eve <eve@example.org>")
    defer { withExtendedLifetime(other) {} }
    try await other.gpg("-o", "\(home.scratch.path)/eve", "--export", "eve@example.org")
    try await home.gpg("--import", "eve")
    #expect(try await home.refusal(["ann@example.org", "eve@example.org"]).contains("is not trusted"))
    let fingerprint = try #require(try await other.fingerprint("eve@example.org"))
    let whole = try #require(try await home.fingerprint("ann@example.org"))
    for id in [whole.suffix(8), "0x" + whole.suffix(16), whole.suffix(16).lowercased()[...]] {
      #expect(try await home.refusal([String(id)]).contains("short key ID"))
    }
    try await home.gpg("--quick-lsign-key", fingerprint)
    #expect(try await home.refusal(["eve@example.org"]).contains("none of the recipients has a secret key here"))
    let both = try await home.cipher(["ann@example.org", fingerprint])
    let sealed = try await both.encrypt([1, 2, 3], as: path)
    #expect(try await other.cipher(["eve@example.org"]).decrypt(sealed, as: path) == [1, 2, 3])
    let own = try await home.cipher(["ann@example.org"]).encrypt([1], as: path)
    await #expect(throws: SyncError.self) { try await other.cipher(["eve@example.org"]).decrypt(own, as: path) }
  }

  @Test func `a passphrase that the agent does not have is not requested`() async throws {
    guard let home = try GPGHome() else { return }
    try await home.makeKey("Ann <ann@example.org>", passphrase: "secret")
    defer { withExtendedLifetime(home) {} }
    let cipher = try await home.cipher(["ann@example.org"])
    let sealed = try await cipher.encrypt([1], as: path)
    try await home.scratch.succeed(["gpgconf", "--homedir", home.folder, "--kill", "gpg-agent"])
    do {
      _ = try await cipher.decrypt(sealed, as: path)
      Issue.record("it was opened without the passphrase")
    } catch {
      #expect(error.code == .unavailable && error.message.contains("passphrase"), "\(error)")
    }
  }

  /// gpg takes what follows damaged data for another message, about once in a hundred such files.
  @Test func `a part that wants its own passphrase is refused as damage, not as a missing passphrase`() async throws {
    guard let home = try GPGHome() else { return }
    try await home.makeKey("Ann <ann@example.org>")
    defer { withExtendedLifetime(home) {} }
    let cipher = try await home.cipher(["ann@example.org"])
    let sealed = try await cipher.encrypt(noise(100), as: path)
    try home.scratch.write(noise(100), to: "plain")
    let secret = ["--pinentry-mode", "loopback", "--passphrase", "secret"]
    try await home.gpg(secret + ["-o", "own", "-c", "plain"])
    try await home.gpg(secret + ["-a", "-o", "armored", "-c", "plain"])
    try await home.scratch.succeed(["gpgconf", "--homedir", home.folder, "--kill", "gpg-agent"])
    // A packet with the tag 9 and 20 bytes: encrypted data without any key (RFC 4880, 5.7).
    let data: [UInt8] = [0xC9, 20] + noise(20)
    for (what, file) in [
      ("data without a key", sealed + data), ("a message with a passphrase", sealed + (home.scratch.read("own") ?? [])),
      ("only a passphrase", home.scratch.read("armored") ?? []),
    ] {
      let error = await #expect(throws: SyncError.self, "\(what)") { _ = try await cipher.decrypt(file, as: path) }
      #expect(error?.code == .suspect, "\(what): \(error as Any)")
      #expect(error?.message.contains("encrypted with a passphrase") == true, "\(what): \(error as Any)")
    }
  }
}
