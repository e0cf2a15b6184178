import SyncKit

/// Bytes without a pattern, reproducible by the seed.
public func noise(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var generator = SplitMix64(state: seed)
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count + 8)
  while bytes.count < count { bytes += littleEndian(generator.next()) }
  return Array(bytes.prefix(count))
}

private func littleEndian(_ word: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
