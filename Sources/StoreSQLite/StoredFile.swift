internal import GRDB
internal import SyncKit

/// A row of the table `file`.
struct StoredFile: Sendable, Equatable {
  var path: SyncPath
  /// The number of the change that wrote it.
  var revision: Int64
  /// The number of its content in the table `part`.
  var content: Int64
  var size: Int
  var modified: Timestamp
  var digest: Digest

  /// The revision for the engine. It has a part of the digest: a file of an older copy of the store may have the same number.
  var proof: Revision { Revision(bytes: Self.proof(revision, digest.bytes)) }

  static func proof(_ revision: Int64, _ digest: [UInt8]) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: revision >> (56 - 8 * $0)) } + digest.prefix(8)
  }

  /// The entry for the engine. Its digest is what was written; only a read proves that the bytes are still the same.
  var entry: Entry { Entry(path: path, revision: proof, size: size, modified: modified) }

  /// The checksum of the row.
  var checksum: Int64 {
    var sum = RowChecksum()
    for number in [revision, content, Int64(size), modified.nanoseconds] { sum.add(number) }
    sum.add(path.bytes)
    sum.add(digest.bytes)
    return sum.value
  }
}

/// Detects a damaged row: 64 bits over all its columns. It protects against accidents, not intent.
struct RowChecksum {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  var value: Int64 { Int64(bitPattern: state ^ state >> 29) }

  mutating func add(_ number: Int64) { add(word: UInt64(bitPattern: number)) }

  mutating func add(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe add($0) } }

  /// Adds the bytes eight at a time, and their number, so that a byte that moves to the next column changes the checksum.
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    add(word: UInt64(bytes.count))
    var offset = 0
    while offset + 8 <= bytes.count {
      add(word: UInt64(bigEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < bytes.count {
      rest = unsafe rest << 8 | UInt64(bytes[offset])
      offset += 1
    }
    add(word: rest)
  }

  private mutating func add(word: UInt64) {
    state = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
    state ^= state >> 32
  }
}

/// The encoding of paths in the database: NUL, which no path contains, replaces the separator, so that the order of bytes is
/// folder order.
enum StoredPath {
  static let separator = UInt8(ascii: "/")

  static func bytes(of path: SyncPath) -> [UInt8] { path.bytes.map { $0 == separator ? 0 : $0 } }

  static func path(_ stored: [UInt8]) -> [UInt8] { stored.map { $0 == 0 ? separator : $0 } }
}
