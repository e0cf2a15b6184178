internal import Crypto

/// The block layout of a file, and the number of bytes sent of each block's strong sum.
public struct SumHead: Hashable, Sendable {
  public var count: Int
  public var blockLength: Int
  public var strongLength: Int
  /// The length of the last block if it is shorter than the others, otherwise 0.
  public var lastLength: Int

  /// No blocks: the file is sent whole.
  public static let none = SumHead(count: 0, blockLength: 0, strongLength: 0, lastLength: 0)

  private static let mostBlocks = 1 << 20
  private static let largestBlock = 1 << 17

  init(count: Int, blockLength: Int, strongLength: Int, lastLength: Int) {
    self.count = count
    self.blockLength = blockLength
    self.strongLength = strongLength
    self.lastLength = lastLength
  }

  /// The block layout that rsync itself chooses for a file of this size (`sum_sizes_sqroot` in `generator.c`).
  public init(forSize size: Int) {
    guard size > 0 else {
      self = .none
      return
    }
    var length = 700
    if size > 700 * 700 { length = max(700, min(Self.largestBlock, Int(Double(size).squareRoot()) & ~7)) }
    let bits = max(
      0, 10 + 2 * (Int.bitWidth - 1 - size.leadingZeroBitCount) - (Int.bitWidth - 1 - length.leadingZeroBitCount))
    blockLength = length
    strongLength = max(2, min(16, (bits + 1 - 32 + 7) / 8))
    lastLength = size % length
    count = (size + length - 1) / length
  }

  /// The size in bytes of the file with this layout.
  var size: Int { count == 0 ? 0 : (count - 1) * blockLength + length(of: count - 1) }

  func length(of block: Int) -> Int { block == count - 1 && lastLength > 0 ? lastLength : blockLength }

  /// The size in bytes of the sums of all blocks.
  var sumBytes: Int { count * (4 + strongLength) }

  static func read(_ queue: inout ByteQueue) throws(RsyncError) -> SumHead {
    let numbers = [Int(try queue.int()), Int(try queue.int()), Int(try queue.int()), Int(try queue.int())]
    let head = SumHead(
      count: numbers[0], blockLength: numbers[1], strongLength: numbers[2], lastLength: numbers[3])
    guard (0...mostBlocks).contains(head.count), (0...largestBlock).contains(head.blockLength),
      (0...16).contains(head.strongLength), (0...head.blockLength).contains(head.lastLength),
      head.blockLength > 0 || head.count == 0
    else { throw .violation(.sumHead) }
    return head
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for number in [count, blockLength, strongLength, lastLength] { bytes.append(int: number) }
    return bytes
  }
}

/// The sums of all blocks of one file: for each block a rolling sum and a prefix of a strong sum.
public struct BlockSums: Hashable, Sendable {
  public let head: SumHead
  var rolling: [UInt32] = []
  var strong: [UInt8] = []

  /// The size in bytes of the file that was summed.
  public var size: Int { head.size }

  /// The sums of a file that does not exist.
  public static let none = BlockSums(head: .none)

  init(head: SumHead) { self.head = head }

  init(head: SumHead, wire bytes: ArraySlice<UInt8>) {
    self.head = head
    var queue = ByteQueue(Array(bytes))
    rolling.reserveCapacity(head.count)
    strong.reserveCapacity(head.count * head.strongLength)
    while let sum = try? queue.int(), let part = try? queue.dequeue(head.strongLength) {
      rolling.append(UInt32(bitPattern: sum))
      strong += part
    }
  }

  /// The sums in wire format.
  var bytes: [UInt8] {
    var bytes = head.bytes
    bytes.reserveCapacity(16 + head.sumBytes)
    for block in 0..<rolling.count {
      bytes.append(int: Int(rolling[block]))
      bytes += strongSum(of: block)
    }
    return bytes
  }

  func strongSum(of block: Int) -> ArraySlice<UInt8> {
    strong[block * head.strongLength..<(block + 1) * head.strongLength]
  }
}

/// The strong sum of a block: the MD5 of the block and the exchange's seed, which newer servers hash first.
public struct StrongSum: Hashable, Sendable {
  private let seed: [UInt8]
  private let isSeedFirst: Bool

  init(seed: Int32, isSeedFirst: Bool) {
    var bytes: [UInt8] = []
    bytes.append(int: Int(seed))
    self.seed = bytes
    self.isSeedFirst = isSeedFirst
  }

  func of(_ block: UnsafeRawBufferPointer) -> Insecure.MD5Digest {
    var hash = Insecure.MD5()
    if isSeedFirst { hash.update(data: seed) }
    unsafe hash.update(bufferPointer: block)
    if !isSeedFirst { hash.update(data: seed) }
    return hash.finalize()
  }
}

/// The rolling checksum of rsync; bytes count as signed (`get_checksum1` in `checksum.c`).
struct RollingSum {
  private var low: UInt32 = 0
  private var high: UInt32 = 0

  init() {}

  init(_ window: UnsafeRawBufferPointer) {
    for index in 0..<window.count {
      low = low &+ Self.signed(unsafe window[index])
      high = high &+ low
    }
  }

  var value: UInt32 { low & 0xFFFF | high << 16 }

  /// Moves a window of `length` bytes by one byte: `old` leaves it and `new` enters it.
  mutating func roll(_ length: Int, out old: UInt8, in new: UInt8) {
    low = low &+ Self.signed(new) &- Self.signed(old)
    high = high &+ low &- UInt32(truncatingIfNeeded: length) &* Self.signed(old)
  }

  private static func signed(_ byte: UInt8) -> UInt32 { UInt32(bitPattern: Int32(Int8(bitPattern: byte))) }
}
