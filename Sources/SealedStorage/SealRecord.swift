public import SyncKit

/// A device's record of an encrypted remote: the cipher, the digest of the remote's key, and the format. While the record
/// exists, nothing is written unencrypted, and no other key is accepted.
public struct SealRecord: Hashable, Sendable {
  /// The identifier of the cipher, such as `age`.
  public var cipher: String
  var key: Digest

  private static let name = "encryption"
  private static let formatName = "encryption.format"
  private static let expectedName = "encryption.expected"

  init(cipher: String, key: Digest) {
    self.cipher = cipher
    self.key = key
  }

  /// Reads the record from the journal of a remote; returns nil if the remote was never encrypted.
  public init?(in journal: any Journal) async throws(SyncError) {
    guard let bytes = try await journal.records()[Self.name] else { return nil }
    guard let key = Digest(bytes: bytes.prefix(32)) else {
      throw SyncError(.damagedState, "the record of a remote's key is damaged")
    }
    self.init(cipher: String(decoding: bytes.dropFirst(32), as: UTF8.self), key: key)
  }

  /// The fingerprint of the remote's key for users: eight groups of four letters and digits. It does not reveal the key.
  public var fingerprint: String { key.fingerprint }

  /// Records the key of a remote; nil removes the record, because a user has disabled the encryption.
  static func write(_ key: RemoteKey?, cipher: String?, to journal: any Journal) async throws(SyncError) {
    guard let key, let cipher else { return try await journal.write([name: nil as [UInt8]?, expectedName: nil]) }
    let format = max(try await lowestFormat(in: journal), key.format)
    try await journal.write([
      name: key.digest.bytes + Array(cipher.utf8), formatName: [UInt8(format.rawValue)],
      expectedName: nil,
    ])
  }

  /// Requires that the remote's key has this fingerprint when this device sees it for the first time; durable on return. Throws
  /// `.wrongReplica` if the device knows another key.
  public static func expect(_ fingerprint: String, in journal: any Journal) async throws(SyncError) {
    if let known = try await SealRecord(in: journal) {
      guard known.key.hasFingerprint(fingerprint) else {
        throw SyncError(
          .wrongReplica, "this device knows the remote with the fingerprint \(known.fingerprint), not \(fingerprint)")
      }
      return
    }
    try await journal.write([expectedName: Array(fingerprint.utf8)])
  }

  /// The fingerprint that the remote's key must have; nil if none is required.
  static func expectedFingerprint(in journal: any Journal) async throws(SyncError) -> String? {
    try await journal.records()[expectedName].map { String(decoding: $0, as: UTF8.self) }
  }

  /// The oldest format that is accepted from this remote. After a migration the former format is never accepted again.
  static func lowestFormat(in journal: any Journal) async throws(SyncError) -> RemoteKey.Format {
    guard let bytes = try await journal.records()[formatName] else { return .unprovenContent }
    guard let format = bytes.first.flatMap({ RemoteKey.Format(rawValue: Int($0)) }) else {
      throw SyncError(.damagedState, "the record of a remote's format is damaged")
    }
    return format
  }
}

extension Digest {
  /// The first 160 bits in base 32, in groups of four.
  var fingerprint: String {
    let text = Array(Base32.text(of: bytes.prefix(20)))
    return stride(from: 0, to: text.count, by: 4)
      .map { String(text[$0..<$0 + 4]) }.joined(separator: "-")
  }

  /// Returns true if this is the fingerprint; ignores spaces, hyphens and case.
  func hasFingerprint(_ text: String) -> Bool {
    func letters(_ text: String) -> String { text.lowercased().filter { !$0.isWhitespace && $0 != "-" } }
    return letters(fingerprint) == letters(text)
  }
}
