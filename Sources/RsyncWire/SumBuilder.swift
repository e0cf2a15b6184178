internal import Crypto

/// Computes the sums of a file's blocks while the file is read.
public struct SumBuilder {
  private var sums: BlockSums
  private let strong: StrongSum
  private var rest: [UInt8] = []
  private var size = 0

  /// - Parameters:
  ///   - head: the block layout of the file.
  ///   - strong: the strong sum algorithm of the exchange.
  public init(_ head: SumHead, _ strong: StrongSum) {
    sums = BlockSums(head: head)
    self.strong = strong
  }

  /// Adds the next bytes of the file.
  public mutating func add(_ chunk: [UInt8]) {
    size += chunk.count
    guard sums.head.blockLength > 0 else { return }
    rest += chunk
    var start = 0
    while rest.count - start >= sums.head.blockLength {
      add(block: start..<start + sums.head.blockLength)
      start += sums.head.blockLength
    }
    rest.removeFirst(start)
  }

  /// Returns the sums, or nil if the file's size does not match the layout.
  public mutating func finish() -> BlockSums? {
    if !rest.isEmpty { add(block: 0..<rest.count) }
    return size == sums.head.size ? sums : nil
  }

  private mutating func add(block range: Range<Int>) {
    let (weak, hash) = unsafe rest.withUnsafeBytes { bytes in
      let block = unsafe UnsafeRawBufferPointer(rebasing: bytes[range])
      return unsafe (RollingSum(block).value, strong.of(block))
    }
    sums.rolling.append(weak)
    sums.strong += hash.prefix(sums.head.strongLength)
  }
}

/// The MD5 of a whole file, with which both sides verify the transfer.
public struct FileHash {
  private var hash = Insecure.MD5()

  public init() {}

  public mutating func add(_ chunk: [UInt8]) { hash.update(data: chunk) }

  /// The 16 bytes.
  public func finish() -> [UInt8] { Array(hash.finalize()) }
}
