import EncryptionTesting
import Foundation
import ProgramTesting
import SyncKit
import Testing

@testable import CipherGPG

/// Files that a user encrypted with the program gpg are decrypted, and encrypted again for the same keys.
@Suite(.serialized) struct GPGFileTests {
  private let text = Array("* A\nsome text é\n".utf8)

  /// A home with two keys, and the text encrypted for both with these options.
  private func sealed(_ options: [String]) async throws -> (home: GPGHome, bytes: [UInt8])? {
    guard let home = try GPGHome() else { return nil }
    for name in ["Ann <ann@example.org>", "Bob <bob@example.org>"] { try await home.makeKey(name) }
    try home.scratch.write(text, to: "plain")
    try await home.gpg(options + ["-o", "sealed", "plain"])
    return (home, try #require(home.scratch.read("sealed")))
  }

  private static let forBoth = ["-r", "ann@example.org", "-r", "bob@example.org"]

  @Test(arguments: [
    [], ["-a"], ["-a", "--comment", "a = b"], ["--compress-algo", "none"], ["--no-emit-version", "-z", "0"],
  ])
  func `a file is re-encrypted for the same keys in the same form`(options: [String]) async throws {
    guard let (home, bytes) = try await sealed(options + Self.forBoth + ["-e"]) else { return }
    defer { withExtendedLifetime(home) {} }
    let keys = try await home.keys(in: "sealed")
    let file = try await home.files.open(bytes, atMost: 1_000)
    #expect(file.text == text && file.readers == keys && keys.count == 2 && file.isArmored == options.contains("-a"))
    let more = text + text
    let again = try await home.files.seal(more, like: file)
    try home.scratch.write(again, to: "again")
    #expect(try await home.keys(in: "again") == keys)
    #expect(again.starts(with: "-----BEGIN PGP MESSAGE-----\n".utf8) == file.isArmored)
    try await home.gpg("-o", "opened", "-d", "again")
    #expect(home.scratch.read("opened") == more)
  }

  /// The options of gpg, and a part of the reason why such a file is not decrypted for a merge.
  private static let whole: [([String], String)] = [
    (["--pinentry-mode", "loopback", "--passphrase", "x", "-c"], "is encrypted with a passphrase"),
    (["--pinentry-mode", "loopback", "--passphrase", "x", "-c", "-e"] + forBoth, "is encrypted with a passphrase"),
    (["-r", "ann@example.org", "-R", "bob@example.org", "-e"], "hides its recipients"),
    (["-s", "-e"] + forBoth, "is signed"), (["-s"], "is not a plain encrypted file of gpg"),
  ]

  @Test(arguments: whole.indices)
  func `each reason against re-encrypting for the same recipients is reported`(index: Int) async throws {
    let (options, reason) = Self.whole[index]
    guard let (home, bytes) = try await sealed(options) else { return }
    defer { withExtendedLifetime(home) {} }
    await expectRefusal(of: bytes, home, reason)
  }

  @Test func `a key that is missing or that gpg no longer accepts leaves the file whole`() async throws {
    guard let (home, bytes) = try await sealed(Self.forBoth + ["-e"]), let other = try GPGHome() else { return }
    defer { withExtendedLifetime((home, other)) {} }
    await expectRefusal(of: bytes, other, "other keys than those of this machine")
    let file = try await home.files.open(bytes, atMost: 1_000)
    // No other keyring has Bob's key.
    try await other.makeKey("Ann <ann@example.org>")
    await #expect(throws: SyncError.self) { try await other.files.seal(text, like: file) }
  }

  @Test func `an untrusted recipient can still decrypt a file after it is re-encrypted`() async throws {
    guard let home = try GPGHome(), let other = try GPGHome() else { return }
    defer { withExtendedLifetime((home, other)) {} }
    try await home.makeKey("Ann <ann@example.org>")
    try await other.makeKey("Eve <eve@example.org>")
    try await other.gpg("-o", "\(home.scratch.path)/eve", "--export", "eve@example.org")
    try await home.gpg("--import", "eve")
    try home.scratch.write(text, to: "plain")
    try await home.gpg(
      "--trust-model", "always", "-r", "ann@example.org", "-r", "eve@example.org", "-o", "sealed", "-e", "plain")
    let file = try await home.files.open(try #require(home.scratch.read("sealed")), atMost: 1_000)
    let again = try await home.files.seal(text, like: file)
    #expect(
      try await other.files.open(again, atMost: 1_000)
        == OpenedFile(text: text, readers: file.readers, isArmored: false))
  }

  @Test func `recipients that gpg.conf adds do not become recipients of the file`() async throws {
    guard let (home, bytes) = try await sealed(["-r", "ann@example.org", "-e"]) else { return }
    defer { withExtendedLifetime(home) {} }
    try home.scratch.write(Array("encrypt-to bob@example.org\n".utf8), to: "gnupg/gpg.conf")
    let file = try await home.files.open(bytes, atMost: 1_000)
    try home.scratch.write(await home.files.seal(text, like: file), to: "again")
    #expect(try await home.keys(in: "again") == file.readers)
    #expect(file.readers.count == 1)
  }

  @Test func `a small file that expands to a large one is not read into memory`() async throws {
    guard let home = try GPGHome() else { return }
    try await home.makeKey("Ann <ann@example.org>")
    defer { withExtendedLifetime(home) {} }
    try home.scratch.write([UInt8](repeating: 65, count: 50_000_000), to: "plain")
    try await home.gpg("-r", "ann@example.org", "-o", "sealed", "-e", "plain")
    let bytes = try #require(home.scratch.read("sealed"))
    #expect(bytes.count < 1_000_000)
    await expectRefusal(of: bytes, home, "more than can be merged")
    #expect(await home.hasNothingRunning())
  }

  @Test func `an abandoned stream leaves no gpg process`() async throws {
    guard let home = try GPGHome() else { return }
    try await home.makeKey("Ann <ann@example.org>")
    defer { withExtendedLifetime(home) {} }
    let cipher = try await home.cipher(["ann@example.org"])
    let sealed = try await cipher.encrypt(noise(3_000_000), as: SyncPath("a.org")!)
    do {
      var decryption = try cipher.decryptor()
      try await decryption.update(Array(sealed.prefix(1_000_000))) { _ in }
      var encryption = try cipher.encryptor(label: [])
      try await encryption.update(noise(1_000_000)) { _ in }
    }
    #expect(await home.hasNothingRunning())
  }

  private func expectRefusal(of bytes: [UInt8], _ home: GPGHome, _ reason: String) async {
    do {
      _ = try await home.files.open(bytes, atMost: 1_000_000)
      Issue.record("it was opened")
    } catch { #expect(error.message.contains(reason)) }
  }
}

extension GPGHome {
  /// Waits until no gpg is running in this home; false if one does not end.
  fileprivate func hasNothingRunning() async -> Bool {
    for _ in 0..<15_000 {
      if !isRunning { return true }
      try? await Task.sleep(for: .milliseconds(20))
    }
    return false
  }

  private var isRunning: Bool {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.contains { id in
      guard Int(id) != nil, let words = FileManager.default.contents(atPath: "/proc/\(id)/cmdline") else {
        return false
      }
      let text = words.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      return text.contains(folder) && text.first?.hasSuffix("gpg") == true
    }
  }
}
