/// A growing list of plain values that never copies its values.
///
/// A doubling array holds its values two to three times while it grows, which at a million files is the difference
/// between a small program and a large one. A column grows by blocks.
struct Column<Value: Sendable>: Sendable {
  private var blocks: [[Value]] = []
  private(set) var count = 0

  mutating func append(_ value: Value) {
    if count & Block.mask == 0 {
      blocks.append([])
      if count > 0 { blocks[blocks.count - 1].reserveCapacity(Block.size) }
    }
    blocks[count >> Block.shift].append(value)
    count += 1
  }

  subscript(index: Int) -> Value {
    get { blocks[index >> Block.shift][index & Block.mask] }
    set { blocks[index >> Block.shift][index & Block.mask] = newValue }
  }
}

/// A growing list of byte strings, one after the other in blocks.
struct ByteColumn: Sendable {
  private struct Strings {
    var bytes: [UInt8] = []
    var ends: [Int32] = []

    func range(_ index: Int) -> Range<Int> {
      (index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])
    }
  }

  private var blocks: [Strings] = []
  private(set) var count = 0

  mutating func append(_ string: [UInt8]) {
    if count & Block.mask == 0 { beginBlock() }
    blocks[count >> Block.shift].bytes += string
    blocks[count >> Block.shift].ends.append(Int32(blocks[count >> Block.shift].bytes.count))
    count += 1
  }

  mutating func append(_ string: UnsafeRawBufferPointer) {
    if count & Block.mask == 0 { beginBlock() }
    unsafe blocks[count >> Block.shift].bytes.append(contentsOf: string)
    blocks[count >> Block.shift].ends.append(Int32(blocks[count >> Block.shift].bytes.count))
    count += 1
  }

  /// A block gets room for as much as the one before it, and somewhat more, so that it hardly ever has to grow.
  private mutating func beginBlock() {
    var strings = Strings()
    if let former = blocks.last?.bytes.count {
      strings.bytes.reserveCapacity(former + former / 16)
      strings.ends.reserveCapacity(Block.size)
    }
    blocks.append(strings)
  }

  subscript(index: Int) -> ArraySlice<UInt8> {
    let block = blocks[index >> Block.shift]
    return block.bytes[block.range(index & Block.mask)]
  }

  /// Returns true if the string at `index` is `bytes`.
  func equals(_ bytes: [UInt8], at index: Int) -> Bool {
    compare(index, with: bytes) == 0
  }

  /// The folder order of the string at `index` and one of another column.
  func compare(_ index: Int, with other: ByteColumn, at otherIndex: Int) -> Int {
    FolderOrder.compare(self[index], other[otherIndex])
  }

  /// The folder order of the string at `index` and `bytes`: negative if the former comes first.
  func compare(_ index: Int, with bytes: [UInt8]) -> Int {
    let offset = index & Block.mask
    return unsafe blocks[index >> Block.shift].bytes.withUnsafeBufferPointer { block in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        let range = blocks[index >> Block.shift].range(offset)
        return unsafe FolderOrder.compare(UnsafeBufferPointer(rebasing: block[range]), bytes)
      }
    }
  }

  /// Returns the position of `bytes` in a column that is sorted in folder order, or the insertion point.
  func position(of bytes: [UInt8]) -> (index: Int, found: Bool) {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      let order = compare(middle, with: bytes)
      if order == 0 { return (middle, true) }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return (low, false)
  }
}

private enum Block {
  static let shift = 12
  static let size = 1 << shift
  static let mask = size - 1
}
