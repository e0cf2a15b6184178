package import SyncKit

/// The root of a file's hash tree as BitTorrent v2 has it (BEP 52): SHA-256 of 16 KiB blocks, filled up with zeros to a power of two.
package struct MerkleRoot: Hashable, Sendable {
  /// The root.
  package let digest: Digest

  package init(_ digest: Digest) { self.digest = digest }

  /// Computes the root of a file, which is not empty.
  package init(of bytes: [UInt8]) {
    var layer = stride(from: 0, to: bytes.count, by: Self.block).map { start in
      Digest(of: bytes[start..<min(start + Self.block, bytes.count)]).bytes
    }
    var width = 1
    while width < layer.count { width *= 2 }
    layer += Array(repeating: Array(repeating: 0, count: 32), count: width - layer.count)
    while layer.count > 1 {
      layer = stride(from: 0, to: layer.count, by: 2).map { Digest(of: layer[$0] + layer[$0 + 1]).bytes }
    }
    digest = Digest(bytes: layer.first ?? []) ?? .empty
  }

  private static let block = 16_384
}

extension MerkleRoot: Comparable {
  package static func < (a: MerkleRoot, b: MerkleRoot) -> Bool { a.digest < b.digest }
}

extension MerkleRoot: CustomStringConvertible {
  /// The name of the file: 64 hexadecimal digits.
  package var description: String { digest.description }
}
