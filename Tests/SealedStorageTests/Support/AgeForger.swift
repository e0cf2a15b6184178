import SyncKit
import Testing

@testable import CipherAge
@testable import SealedStorage

/// An attacker who can write to the remote and knows the public key.
struct AgeForger {
  let recipient: Recipient

  /// A file with another content: the label's stanza is copied from `original`, and the forger makes the rest.
  func forged(_ content: [UInt8], withLabelOf original: [UInt8]) throws -> [UInt8] {
    try forged(content, stanzas(of: original).filter { $0.arguments[0].hasPrefix(AgeCipher.formerLabelKind) })
  }

  /// A file with labels that the forger chooses.
  func forged(_ content: [UInt8], _ labels: [Stanza]) throws -> [UInt8] {
    var encryption = try Sealing(random: Runtime.real.random) { fileKey in
      [try recipient.wrap(fileKey, random: Runtime.real.random)] + labels
    }
    return try encryption.update(content) + encryption.finish()
  }

  /// A file with the decrypted label of `original`, if the forger has learned it. It is encrypted with the remote's key.
  func forged(_ content: [UInt8], withKnownLabel label: [UInt8]) throws -> [UInt8] {
    try forged(content, [Stanza([AgeCipher.formerLabelKind], body: label)])
  }

  private func stanzas(of file: [UInt8]) throws -> [Stanza] {
    var reader = HeaderReader()
    return try #require(try reader.read(file)).header.stanzas
  }
}
