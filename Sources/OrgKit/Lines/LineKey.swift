/// The bytes of a line as a dictionary key: hashed once, compared byte by byte only when hashes agree.
struct LineKey: Hashable {
  let bytes: ArraySlice<UInt8>
  let digest: UInt64

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    digest = fingerprint(bytes.span)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(digest)
  }

  static func == (left: LineKey, right: LineKey) -> Bool {
    left.digest == right.digest && left.bytes.span.isSame(as: right.bytes.span)
  }
}

/// A 64-bit hash that is fast on short lines and stable within a process only.
func fingerprint(_ bytes: Span<UInt8>) -> UInt64 { fingerprint(bytes, seed: seed) }

/// The same with a seed; with a constant one the result is stable and can be stored.
func fingerprint(_ bytes: Span<UInt8>, seed: UInt64) -> UInt64 {
  var hash = seed ^ UInt64(truncatingIfNeeded: bytes.count)
  var index = 0
  while index + 8 <= bytes.count {
    hash = mixed(hash ^ bytes.word(at: index))
    index += 8
  }
  var tail: UInt64 = 0
  while index < bytes.count {
    tail = tail << 8 | UInt64(bytes[index])
    index += 1
  }
  return mixed(hash ^ tail)
}

/// The same, ignoring the case of letters.
func caselessFingerprint(_ bytes: Span<UInt8>) -> UInt64 {
  var hash = seed ^ UInt64(truncatingIfNeeded: bytes.count)
  for index in 0..<bytes.count { hash = (hash ^ UInt64(bytes[index].lowercased)) &* 0x0000_0100_0000_01B3 }
  return mixed(hash)
}

// Different in every process, so that no one can prepare lines that collide.
private let seed = UInt64.random(in: .min ... .max)

private func mixed(_ value: UInt64) -> UInt64 {
  let product = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
  return product.high ^ product.low
}
