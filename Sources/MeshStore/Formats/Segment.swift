internal import Crypto
package import SyncKit

/// The bytes of a segment: a table, if it has one, and the blobs of contents.
///
/// `SYS1`, 16 random bytes, the length of the encrypted table in 4 bytes, the encrypted table, the blobs.
package struct Segment: Sendable {
  /// The blobs with their digests, in their order.
  private let blobs: [(digest: SyncKit.Digest, bytes: [UInt8])]
  /// Makes the key of this segment different from that of all others.
  private let salt: [UInt8]

  /// - Parameter salt: 16 random bytes.
  package init(blobs: [(digest: SyncKit.Digest, bytes: [UInt8])] = [], salt: [UInt8]) {
    self.blobs = blobs
    self.salt = salt
  }

  static let headerSize = 24
  private static let mark = Array("SYS1".utf8)

  /// Returns the segment's bytes, and where its blobs are in it.
  ///
  /// The table names places in this segment, whose offsets depend on the table's length: they are counted from the end of the table.
  package func bytes(table: MeshTable?, _ secret: MeshSecret) -> [UInt8] { bytes(tableBytes: table?.bytes, secret) }

  /// The same with the bytes of a table.
  func bytes(tableBytes table: [UInt8]?, _ secret: MeshSecret) -> [UInt8] {
    let sealed = table.map { Seal.encrypt($0, with: Self.key(secret, salt)) } ?? []
    var writer = ByteWriter()
    writer.write(Self.mark)
    writer.write(salt)
    writer.write(fixed: UInt64(sealed.count), length: 4)
    writer.write(sealed)
    for blob in blobs { writer.write(blob.bytes) }
    return writer.bytes
  }

  /// The places of the blobs, counted from the end of the table.
  package var places: [SyncKit.Digest: (offset: UInt64, length: UInt64)] {
    var (places, offset): ([SyncKit.Digest: (offset: UInt64, length: UInt64)], UInt64) = ([:], 0)
    for blob in blobs {
      places[blob.digest] = (offset, UInt64(blob.bytes.count))
      offset += UInt64(blob.bytes.count)
    }
    return places
  }

  /// Returns the length of the header and the encrypted table, from the first bytes of a segment.
  package static func tableEnd(_ head: [UInt8]) throws(FormatError) -> Int {
    var reader = ByteReader(head)
    guard try reader.read(4) == mark else { throw FormatError("it is not a segment") }
    _ = try reader.read(16)
    return headerSize + Int(try reader.fixed(length: 4))
  }

  /// Returns the table of a segment, from its first bytes; nil if it has none.
  package static func table(_ head: [UInt8], _ secret: MeshSecret) throws(FormatError) -> MeshTable? {
    guard let table = try content(head, secret)?.table else { return nil }
    return try MeshTable(table)
  }

  /// Returns the salt and the bytes of the table of a segment, from its first bytes; nil if it has no table.
  static func content(
    _ head: [UInt8], _ secret: MeshSecret
  ) throws(FormatError) -> (salt: [UInt8], table: [UInt8])? {
    let end = try tableEnd(head)
    guard end > headerSize else { return nil }
    guard end <= head.count else { throw FormatError("it ends too early") }
    let salt = Array(head[4..<20])
    return (salt, try Seal.decrypt(head[headerSize..<end], with: key(secret, salt)))
  }

  static func key(_ secret: MeshSecret, _ salt: [UInt8]) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: secret.key(.table), salt: salt, info: Array("table".utf8), outputByteCount: 32)
  }
}
