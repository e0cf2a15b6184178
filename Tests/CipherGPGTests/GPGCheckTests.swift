import EncryptionTesting
import ProgramTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CipherGPG

/// The checks for every cipher and every `FileSealer`.
@Suite(.serialized) struct GPGCheckTests {
  @Test(arguments: CipherCheck.all) func cipher(check: CipherCheck) async throws {
    guard let home = try GPGHome(), let other = try GPGHome() else { return }
    defer { withExtendedLifetime((home, other)) {} }
    try await home.makeKey("Ann <ann@example.org>")
    try await other.makeKey("Eve <eve@example.org>")
    let cipher = CheckedCipher(
      try await home.cipher(["ann@example.org"]), stranger: try await other.cipher(["eve@example.org"]),
      blockSizes: [16, 512, 8_192], stride: isSoak ? 1 : 41)
    try await check.run(on: cipher)
  }

  @Test(arguments: FileSealerCheck.all) func files(check: FileSealerCheck) async throws {
    guard let home = try GPGHome(), let other = try GPGHome() else { return }
    defer { withExtendedLifetime((home, other)) {} }
    try await home.makeKey("Ann <ann@example.org>")
    try await other.makeKey("Eve <eve@example.org>")
    let sealer = CheckedFileSealer(
      home.files, stride: isSoak ? 1 : 41, sample: { try await home.encrypted($0, for: "ann@example.org") },
      foreign: { try await other.encrypted($0, for: "eve@example.org") })
    try await check.run(on: sealer)
  }
}

extension GPGHome {
  /// A text encrypted by gpg.
  fileprivate func encrypted(_ text: [UInt8], for recipient: String) async throws -> [UInt8] {
    try scratch.write(text, to: "text")
    try await gpg("-a", "-r", recipient, "-o", "text.asc", "-e", "text")
    return try #require(scratch.read("text.asc"))
  }
}
