internal import Crypto

/// Computes the difference between a new content, which is read once, and an old one of which only the block sums are known
/// (`match.c`).
public struct Delta {
  private let sums: BlockSums
  private let strong: StrongSum
  private let blocks: BlockTable
  /// The received bytes that are not returned yet: literal bytes from `start`, and the window that is being matched from
  /// `window`.
  private var buffer: [UInt8] = []
  private var start = 0
  private var window = 0
  private var rolling: RollingSum?
  /// The block that would follow the last one found.
  private var expected = 0

  public enum Part: Hashable, Sendable {
    case bytes([UInt8])
    /// A block of the old content.
    case copy(Int)
  }

  /// The maximum size of a piece of literal bytes.
  private static let longestLiteral = 1 << 15

  /// - Parameters:
  ///   - sums: the sums of the old content.
  ///   - strong: the algorithm of those sums.
  public init(against sums: BlockSums, _ strong: StrongSum) {
    self.sums = sums
    self.strong = strong
    blocks = BlockTable(sums)
  }

  /// Adds the next bytes of the new content, and returns the parts that are decided.
  public mutating func add(_ chunk: [UInt8]) -> [Part] {
    guard sums.head.count > 0 else { return chunk.isEmpty ? [] : [.bytes(chunk)] }
    buffer += chunk
    var parts: [Part] = []
    let length = sums.head.blockLength
    while buffer.count - window >= length {
      if let block = match(length) {
        matched(block, &parts)
      } else {
        guard slide(length) else { break }
        if window - start >= Self.longestLiteral { emit(&parts) }
      }
    }
    buffer.removeFirst(start)
    (start, window) = (0, window - start)
    return parts
  }

  /// Returns the remaining parts; call it at the end of the new content.
  public mutating func finish() -> [Part] {
    var parts: [Part] = []
    let last = sums.head.lastLength
    // Only one position of the shrinking window can match the last, shorter block.
    if last > 0, buffer.count >= last {
      window = buffer.count - last
      rolling = nil
      if let block = match(last) { matched(block, &parts) }
    }
    window = buffer.count
    emit(&parts)
    return parts
  }

  /// Returns the block that matches the window.
  private mutating func match(_ length: Int) -> Int? {
    let sum = unsafe rolling ?? onWindow(length) { bytes in unsafe RollingSum(bytes) }
    rolling = sum
    let candidates = blocks.candidates(sum.value, length: length, first: expected)
    guard !candidates.isEmpty else { return nil }
    let prefix = unsafe Array(onWindow(length) { bytes in unsafe strong.of(bytes) }.prefix(sums.head.strongLength))
    return candidates.first { sums.strongSum(of: $0).elementsEqual(prefix) }
  }

  private func onWindow<Value>(_ length: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
    unsafe buffer.withUnsafeBytes { unsafe body(UnsafeRawBufferPointer(rebasing: $0[window..<window + length])) }
  }

  /// Moves the window by one byte; returns false if the byte has not arrived.
  private mutating func slide(_ length: Int) -> Bool {
    guard window + length < buffer.count else { return false }
    rolling?.roll(length, out: buffer[window], in: buffer[window + length])
    window += 1
    return true
  }

  private mutating func matched(_ block: Int, _ parts: inout [Part]) {
    emit(&parts)
    parts.append(.copy(block))
    window += sums.head.length(of: block)
    start = window
    rolling = nil
    expected = block + 1
  }

  /// Returns the literal bytes before the window.
  private mutating func emit(_ parts: inout [Part]) {
    guard window > start else { return }
    parts.append(.bytes(Array(buffer[start..<window])))
    start = window
  }
}

/// The blocks by their rolling sums.
private struct BlockTable {
  private let head: SumHead
  private let rolling: [UInt32]
  /// The first block of each slot, and for each block the next one in its slot; -1 for none.
  private var first: [Int32]
  private var following: [Int32]
  /// One less than the number of slots, which is a power of two.
  private let mask: Int

  private static let mostCandidates = 1_024

  init(_ sums: BlockSums) {
    head = sums.head
    rolling = sums.rolling
    mask = min(1 << 16, max(1 << 4, 1 << (Int.bitWidth - sums.rolling.count.leadingZeroBitCount + 1))) - 1
    first = Array(repeating: -1, count: mask + 1)
    following = Array(repeating: -1, count: sums.rolling.count)
    for block in sums.rolling.indices.reversed() {
      let slot = Self.slot(sums.rolling[block]) & mask
      following[block] = first[slot]
      first[slot] = Int32(block)
    }
  }

  /// Returns the blocks of this length that may have this sum; `preferred` comes first.
  func candidates(_ sum: UInt32, length: Int, first preferred: Int) -> [Int] {
    var found: [Int] = []
    var block = Int(first[Self.slot(sum) & mask])
    var steps = 0
    while block >= 0, steps < Self.mostCandidates {
      if rolling[block] == sum, head.length(of: block) == length {
        if block == preferred { found.insert(block, at: 0) } else { found.append(block) }
      }
      block = Int(following[block])
      steps += 1
    }
    return found
  }

  private static func slot(_ sum: UInt32) -> Int { Int((sum & 0xFFFF) &+ (sum >> 16)) }
}
