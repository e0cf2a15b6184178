package import SyncKit

extension Revision {
  /// The revision that names these versions: 16 bytes for each, by rising dot.
  package init(of dots: Set<Dot>) {
    self.init(bytes: dots.sorted().flatMap { Self.bytes($0.writer.id) + Self.bytes($0.number) })
  }

  /// The versions that the revision names; nil if it was not made of dots.
  package var dots: Set<Dot>? {
    guard bytes.count % 16 == 0 else { return nil }
    return Set(
      stride(from: 0, to: bytes.count, by: 16).map { start in
        Dot(
          writer: Writer(id: Self.number(bytes[start..<start + 8])),
          number: Self.number(bytes[(start + 8)..<start + 16]))
      })
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
