internal import SyncKit

/// A file that is about to be moved, recorded in advance: after a crash it names the copy to check.
struct MoveIntent: Hashable, Sendable {
  var source: SyncPath
  var target: SyncPath
  /// The revision of the version to be moved, and the digest of its content.
  var revision: Revision
  var digest: Digest

  private static let prefix = "s3.move "
  var key: String { Self.prefix + Digest(of: target.bytes).description }

  /// The encoded record: the digest, the lengths of the source and the target in two bytes each, both, and the revision.
  var record: [UInt8] {
    let lengths = [source, target].flatMap { [UInt8($0.bytes.count >> 8), UInt8($0.bytes.count & 0xFF)] }
    return digest.bytes + lengths + source.bytes + target.bytes + revision.bytes
  }

  init(source: SyncPath, target: SyncPath, revision: Revision, digest: Digest) {
    (self.source, self.target, self.revision, self.digest) = (source, target, revision, digest)
  }

  /// Decodes a record; returns nil for other records.
  init?(key: String, record: [UInt8]) {
    guard key.hasPrefix(Self.prefix), record.count > 36, let digest = Digest(bytes: record[..<32]) else { return nil }
    let (first, second) = (Int(record[32]) << 8 | Int(record[33]), Int(record[34]) << 8 | Int(record[35]))
    guard record.count > 36 + first + second, let source = SyncPath(bytes: Array(record[36..<36 + first])),
      let target = SyncPath(bytes: Array(record[(36 + first)..<(36 + first + second)]))
    else { return nil }
    self.init(
      source: source, target: target, revision: Revision(bytes: Array(record[(36 + first + second)...])), digest: digest
    )
  }
}
