import SyncKit
import Testing

@testable import RsyncWire

@Suite("Numbers and checksums of the rsync protocol") struct SumTests {
  @Test(
    "a varint is encoded and decoded",
    arguments: [
      (0, "00"), (127, "7f"), (128, "8080"), (16_383, "bfff"), (16_384, "c00040"), (2_097_151, "dfffff"),
      (268_435_456, "f000000010"), (-1, "f0ffffffff"),
    ] as [(Int32, String)])
  func varint(value: Int32, hex: String) throws {
    var bytes: [UInt8] = []
    bytes.append(varint: value)
    #expect(hexadecimal(bytes) == hex)
    var queue = ByteQueue(bytes)
    #expect(try queue.varint() == value && queue.isEmpty)
  }

  @Test(
    "a long number is encoded and decoded",
    arguments: [
      (3, 0, "000000"), (3, 65_535, "00ffff"), (3, 65_536, "010000"), (3, 8_388_607, "7fffff"),
      (3, 8_388_608, "80000080"),
      (3, 16_777_216, "81000000"), (3, 5_368_709_127, "c107000040"), (3, 1_099_511_627_776, "e10000000000"),
      (4, 1_700_000_000, "6500f153"), (4, 2_147_483_647, "7fffffff"), (4, 2_147_483_648, "8000000080"),
      (4, 5_000_000_000, "8100f2052a"), (4, -5, "f8fbffffffffffffff"),
    ] as [(Int, Int64, String)])
  func varlong(least: Int, value: Int64, hex: String) throws {
    var bytes: [UInt8] = []
    bytes.append(varlong: value, least)
    #expect(hexadecimal(bytes) == hex)
    var queue = ByteQueue(bytes)
    #expect(try queue.varlong(least) == value && queue.isEmpty)
  }

  @Test("random numbers are decoded from their encoding")
  func numbers() throws {
    var generator = SplitMix64(state: 4)
    for _ in 0..<20_000 {
      let value = Int64(bitPattern: generator.next() >> UInt64(generator.number(below: 64)))
      var bytes: [UInt8] = []
      bytes.append(varlong: value, 3)
      bytes.append(varlong: -value, 4)
      bytes.append(varint: Int32(truncatingIfNeeded: value))
      var queue = ByteQueue(bytes)
      #expect(try queue.varlong(3) == value)
      #expect(try queue.varlong(4) == -value)
      #expect(try queue.varint() == Int32(truncatingIfNeeded: value))
    }
  }

  @Test("file numbers are encoded as rsync does")
  func indices() throws {
    let numbers: [Int32] = [0, 1, 2, 255, 256, 510, 600, 33_368, 66_200, 5, -1, 6, 100_000, .max - 1]
    var (writer, reader) = (IndexCoder(), IndexCoder())
    let bytes = numbers.map { writer.write($0) }
    #expect(
      bytes.dropLast().map(hexadecimal)
        == [
          "01", "01", "01", "fd", "01", "fe00fe", "5a", "fe80588200", "fe80980201", "fe80050000", "00", "01",
          "fe80a08601",
        ])
    var queue = ByteQueue(bytes.flatMap(\.self))
    for number in numbers { #expect(try reader.read(&queue) == number) }
  }

  @Test(
    "the rolling checksum matches rsync's",
    arguments: [
      (Array("a".utf8), 0x0061_0061), (Array("abc".utf8), 0x024a_0126), (Array("hello world\n".utf8), 0x1e66_0466),
      (Array(0...255), 0x6a80_ff80), (Array(repeating: 0xFF, count: 700), 0x419a_fd44),
    ] as [([UInt8], UInt32)])
  func rolling(bytes: [UInt8], sum: UInt32) {
    #expect(unsafe bytes.withUnsafeBytes { unsafe RollingSum($0).value } == sum)
  }

  @Test("a rolled checksum equals one computed at the new position")
  func rolled() {
    var generator = SplitMix64(state: 5)
    let bytes = (0..<2_000).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    var sum = unsafe bytes[..<700].withUnsafeBytes { unsafe RollingSum($0) }
    for start in 1...1_300 {
      sum.roll(700, out: bytes[start - 1], in: bytes[start + 699])
      #expect(unsafe bytes[start..<start + 700].withUnsafeBytes { unsafe RollingSum($0).value } == sum.value)
    }
  }

  @Test("the seed of a strong checksum is in the server's position")
  func strong() {
    let bytes = Array("hello world\n".utf8)
    for (isFirst, hex) in [(true, "e54d8cecd3ff0ff76decb277aecb1179"), (false, "4c44422795d5834162a682b91a7c0f6c")] {
      let strong = StrongSum(seed: 0x0102_0304, isSeedFirst: isFirst)
      #expect(hexadecimal(Array(unsafe bytes.withUnsafeBytes { unsafe strong.of($0) })) == hex)
    }
  }

  @Test(
    "a file is divided into blocks as rsync does",
    arguments: [
      (0, 0, 0, 0), (1, 1, 700, 2), (2_240, 4, 700, 2), (490_000, 700, 700, 2), (1_000_000, 1_000, 1_000, 2),
      (5_242_880, 2_292, 2_288, 2), (33_554_432, 5_794, 5_792, 3), (1 << 30, 32_768, 32_768, 3),
    ])
  func division(size: Int, count: Int, length: Int, strong: Int) {
    let head = SumHead(forSize: size)
    #expect(head.count == count && head.blockLength == length && head.size == size)
    #expect(head.strongLength == strong)
  }

  @Test("a delta rebuilds every edit from any pieces, and copies unchanged blocks")
  func deltas() {
    var generator = SplitMix64(state: 6)
    let strong = StrongSum(seed: 7, isSeedFirst: true)
    for round in 0..<400 {
      let size = generator.pick([0, 1, 699, 700, 701, 1_399, 1_400, 1_401, 5_000, 20_000])
      let letters = generator.pick([2, 256])
      let old = (0..<size).map { _ in UInt8(generator.number(below: letters)) }
      var new = old
      for _ in 0..<generator.number(below: 4) { new = generator.mutation(of: new) }
      let basis = sums(of: old, strong)
      var delta = Delta(against: basis, strong)
      var parts: [Delta.Part] = []
      let piece = generator.pick([1, 7, 700, 4_096, 1 << 20])
      for start in stride(from: 0, to: new.count, by: piece) {
        parts += delta.add(Array(new[start..<min(start + piece, new.count)]))
      }
      parts += delta.finish()
      #expect(rebuilt(parts, old, basis.head) == new, "round \(round)")
      if new == old, !old.isEmpty { #expect(parts == (0..<basis.head.count).map { .copy($0) }, "round \(round)") }
    }
  }

  private func rebuilt(_ parts: [Delta.Part], _ old: [UInt8], _ head: SumHead) -> [UInt8] {
    parts.flatMap { part -> [UInt8] in
      switch part {
      case .bytes(let bytes): return bytes
      case .copy(let block):
        let start = block * head.blockLength
        return Array(old[start..<start + head.length(of: block)])
      }
    }
  }

  @Test("a file list is sorted as rsync does")
  func order() {
    func file(_ name: String, _ kind: ListedFile.Kind) -> ListedFile { ListedFile(name: Array(name.utf8), kind: kind) }
    let sorted = [
      file(".", .folder), file("Z", .file), file("a.org", .file), file("\u{FF}", .file), file("a-b", .folder),
      file("a-b/x", .file), file("a", .folder), file("a/x", .file), file("a/y", .file), file("a/b", .folder),
      file("a/b/z", .file), file("a0", .folder),
    ]
    #expect(FileList(sorted.reversed(), hasErrors: false).files == sorted)
  }

  @Test(
    "a root is quoted for every shell",
    arguments: [
      ("org", "org/"), ("~/notes", "notes/"), ("~", "./"), ("-x", "./-x/"), ("/a b'c$d\u{E9}", "/a\\ b\\'c\\$d\u{E9}/"),
    ])
  func roots(root: String, word: String) {
    #expect(ServerCommand.quoted(ServerCommand.path(root)) == word)
  }
}
