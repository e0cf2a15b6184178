import Testing

@testable import SyncKit

@Suite("Tables of the engine")
struct TableTests {
  /// Sizes around the limits of a block of 4,096.
  static let sizes = [0, 1, 63, 64, 65, 4_095, 4_096, 4_097, 9_000]

  @Test("a column has the appended and assigned values", arguments: sizes)
  func column(size: Int) {
    var column = Column<Int>()
    for value in 0..<size { column.append(value) }
    for index in stride(from: 0, to: size, by: 7) { column[index] = -index }
    #expect(column.count == size)
    #expect((0..<size).allSatisfy { column[$0] == ($0 % 7 == 0 ? -$0 : $0) })
  }

  @Test("a column is a value type")
  func columnIsValue() {
    var column = Column<Int>()
    for value in 0..<5_000 { column.append(value) }
    let copy = column
    column[4_500] = -1
    column.append(7)
    #expect(copy[4_500] == 4_500 && copy.count == 5_000)
  }

  @Test("a column of bytes stores strings of any length", arguments: sizes)
  func byteColumn(size: Int) {
    func string(_ index: Int) -> [UInt8] { Array(repeating: UInt8(index % 251), count: index % 17) }
    var column = ByteColumn()
    for index in 0..<size {
      if index % 2 == 0 {
        column.append(string(index))
      } else {
        unsafe string(index).withUnsafeBytes { unsafe column.append($0) }
      }
    }
    #expect(column.count == size)
    #expect((0..<size).allSatisfy { column[$0].elementsEqual(string($0)) && column.equals(string($0), at: $0) })
    #expect((0..<size).allSatisfy { !column.equals(string($0) + [1], at: $0) })
  }

  @Test("a later entry fills in what the table lacks")
  func learning() throws {
    let path = try #require(SyncPath("a.org"))
    var table = EntryTable()
    table.append(Entry(path: path, revision: Revision(bytes: [1])))
    let seen = Entry(
      path: path, revision: Revision(bytes: [1]), digest: Digest(of: [7]), size: 1,
      modified: Timestamp(nanoseconds: 5), author: "Ann")
    table.learn(seen, at: 0)
    #expect(table[0] == seen)
  }

  @Test("a sorted column of bytes finds every string, and the position of a missing one", arguments: sizes)
  func search(size: Int) throws {
    let paths = try (0..<size).map { try #require(SyncPath("f\($0 % 90)/\($0).org")) }.sorted()
    var column = ByteColumn()
    for path in paths { column.append(path.bytes) }
    for (index, path) in paths.enumerated() {
      #expect(column.position(of: path.bytes) == (index, true))
      #expect(column.position(of: path.bytes + [0]) == (index + 1, false))
    }
    #expect(column.position(of: [0]) == (0, false))
    #expect(column.position(of: [0xFF]) == (size, false))
  }

  @Test("a bit set is a set of numbers", arguments: 0..<20 as Range<UInt64>)
  func bits(seed: UInt64) {
    var random = SplitMix64(state: seed)
    let size = Int.random(in: 0...300, using: &random)
    var (a, b) = (BitSet(capacity: size), BitSet(capacity: size))
    var (x, y) = (Set<Int>(), Set<Int>())
    for _ in 0..<size * 2 {
      let (index, other) = (Int.random(in: 0..<size, using: &random), Int.random(in: 0..<size, using: &random))
      a.insert(index)
      x.insert(index)
      b.insert(other)
      y.insert(other)
      if Bool.random(using: &random) {
        a.remove(other)
        x.remove(other)
      }
    }
    #expect((0..<size).allSatisfy { a.contains($0) == x.contains($0) })
    #expect(a.count == x.count)
    #expect(BitSet.notInBoth(a, b, below: size) == (0..<size).filter { !x.contains($0) || !y.contains($0) })
  }

  @Test("a base lists its agreements in folder order, however they were added", arguments: [0, 5, 4_097])
  func base(size: Int) throws {
    let agreements = try (0..<size).map { number in
      Agreement(
        path: try #require(SyncPath("\(number % 7)/\(number)")), digest: Digest(of: Array("\(number)".utf8)),
        local: Revision("l\(number)"), remote: Revision("r\(number)"))
    }
    let base = Base(agreements.shuffled())
    #expect(base.count == size)
    #expect((0..<size).map { base[$0] } == agreements.sorted { $0.path < $1.path })
    for agreement in agreements { #expect(base[agreement.path] == agreement) }
    #expect(base[try #require(SyncPath("none"))] == nil)
    let known = Known(base, on: .remote)
    for agreement in agreements { #expect(known[agreement.path] == agreement.remote) }
  }
}
