/// Detects a damaged record: 64 bits over all its fields. It protects against accidents, not intent.
struct Checksum {
  private var state: UInt64 = 0x6A09_E667_F3BC_C908

  /// The checksum of everything added so far.
  var value: Int64 { Int64(bitPattern: Self.mixed(state)) }

  mutating func add(_ number: Int64) { add(word: UInt64(bitPattern: number)) }

  /// Adds a field of bytes. Its length is hashed too, so that a byte that moves to the next field changes the checksum.
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    add(word: UInt64(bytes.count))
    var offset = 0
    while offset + 8 <= bytes.count {
      add(word: UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
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

  // The finaliser of SplitMix64: each bit of the state affects each bit of the value.
  private static func mixed(_ state: UInt64) -> UInt64 {
    var word = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }
}

extension Checksum {
  /// Returns the checksum of a record that is about to be written.
  static func of(_ values: [SQLValue]) -> Int64 {
    var checksum = Checksum()
    for value in values { checksum.add(value) }
    return checksum.value
  }

  mutating func add(_ value: SQLValue) {
    switch value {
    case .null: add(-1)
    case .integer(let number): add(number)
    case .text(let text): add(.bytes(Array(text.utf8)))
    case .bytes(let bytes): unsafe bytes.withUnsafeBytes { unsafe add($0) }
    }
  }
}
