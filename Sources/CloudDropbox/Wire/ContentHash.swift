internal import SyncKit

/// Dropbox's content hash: SHA-256 of the concatenated SHA-256 digests of 4 MiB blocks (Dropbox, "Content hash").
struct ContentHasher: Sendable {
  private static let blockSize = 4 << 20

  private var whole = DigestHasher()
  private var block = DigestHasher()
  private var filled = 0

  mutating func update(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.blockSize - filled)
      block.update(Array(part))
      filled += part.count
      rest = rest.dropFirst(part.count)
      if filled == Self.blockSize { endBlock() }
    }
  }

  private mutating func endBlock() {
    whole.update(block.finish().bytes)
    block = DigestHasher()
    filled = 0
  }

  /// The hash of all bytes so far, in hexadecimal digits.
  consuming func finish() -> String {
    if filled > 0 { endBlock() }
    return whole.finish().description
  }

  static func hash(of bytes: [UInt8]) -> String {
    var hasher = ContentHasher()
    hasher.update(bytes)
    return hasher.finish()
  }
}
