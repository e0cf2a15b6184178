import SyncKit

/// Makes hostile inputs from valid ones, deterministically, so that a number identifies an input.
///
/// It knows the structures that most formats share: numbers in digits, binary lengths before the data that they count, lines,
/// and the tokens of the format.
struct Mutator {
  let corpus: [[UInt8]]
  let tokens: [[UInt8]]
  /// The maximum size of an input; larger ones test nothing more.
  private static let largest = 8 << 10
  private static let numbers = [
    "0", "-1", "1", "255", "65535", "2147483647", "2147483648", "4294967296", "9223372036854775807",
    "-9223372036854775808", "18446744073709551616", "1e999", "99999999999999999999999999",
  ]
  private static let bytes: [UInt8] = [0, 1, 0x7F, 0x80, 0xC0, 0xE2, 0xF8, 0xFF, 0x0A, 0x0D, 0x20, 0x22, 0x5C, 0x1B]

  init(corpus: [[UInt8]], tokens: [String]) {
    self.corpus = corpus
    self.tokens = tokens.map { Array($0.utf8) }
  }

  /// The input with this number.
  func input(_ number: UInt64) -> [UInt8] {
    var random = SplitMix64(state: number)
    var input = corpus.randomElement(using: &random) ?? []
    for _ in 0..<Int.random(in: 1...6, using: &random) { change(&input, &random) }
    return Array(input.prefix(Self.largest))
  }

  private func change(_ input: inout [UInt8], _ random: inout SplitMix64) {
    let place = Int.random(in: 0...input.count, using: &random)
    switch Int.random(in: 0..<11, using: &random) {
    case 0: insert(Self.bytes.randomElement(using: &random).map { [$0] } ?? [], at: place, of: &input)
    case 1: insert(tokens.randomElement(using: &random) ?? [], at: place, of: &input)
    case 2: if place < input.count { input[place] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
    case 3: if place < input.count { input[place] = Self.bytes.randomElement(using: &random) ?? 0 }
    case 4: input.removeSubrange(range(from: place, of: input, &random))
    case 5: insert(Array(input[range(from: place, of: input, &random)]), at: place, of: &input)
    case 6: replaceNumber(from: place, of: &input, &random)
    case 7: replaceLength(at: place, of: &input, &random)
    case 8: splice(at: place, of: &input, &random)
    case 9: moveLine(&input, &random)
    default: repeatPart(from: place, of: &input, &random)
    }
  }

  private func insert(_ part: [UInt8], at place: Int, of input: inout [UInt8]) {
    guard input.count + part.count <= 2 * Self.largest else { return }
    input.insert(contentsOf: part, at: place)
  }

  private func range(from place: Int, of input: [UInt8], _ random: inout SplitMix64) -> Range<Int> {
    place..<min(input.count, place + Int.random(in: 0...40, using: &random))
  }

  /// Replaces digits by a number at which arithmetic may overflow.
  private func replaceNumber(from place: Int, of input: inout [UInt8], _ random: inout SplitMix64) {
    guard let start = input[place...].firstIndex(where: Self.isDigit) else { return }
    let end = input[start...].firstIndex { !Self.isDigit($0) } ?? input.count
    input.replaceSubrange(start..<end, with: (Self.numbers.randomElement(using: &random) ?? "0").utf8)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// Replaces two, four or eight bytes by a length, in either byte order.
  private func replaceLength(at place: Int, of input: inout [UInt8], _ random: inout SplitMix64) {
    let width = [2, 4, 8].randomElement(using: &random) ?? 4
    guard place + width <= input.count else { return }
    let value = [0, 1, UInt64(input.count), UInt64(Int32.max), UInt64(UInt32.max), .max].randomElement(using: &random)
    let bytes = (0..<width).map { UInt8(truncatingIfNeeded: (value ?? 0) >> (8 * UInt64($0))) }
    input.replaceSubrange(place..<place + width, with: Bool.random(using: &random) ? bytes : bytes.reversed())
  }

  private func splice(at place: Int, of input: inout [UInt8], _ random: inout SplitMix64) {
    guard let other = corpus.randomElement(using: &random), !other.isEmpty else { return }
    input = Array(input[..<place] + other[Int.random(in: 0..<other.count, using: &random)...])
  }

  private func moveLine(_ input: inout [UInt8], _ random: inout SplitMix64) {
    var lines = input.split(separator: 0x0A, omittingEmptySubsequences: false)
    let line = lines.remove(at: Int.random(in: 0..<lines.count, using: &random))
    lines.insert(line, at: Int.random(in: 0...lines.count, using: &random))
    input = Array(lines.joined(separator: [0x0A]))
  }

  private func repeatPart(from place: Int, of input: inout [UInt8], _ random: inout SplitMix64) {
    let part = input[place..<min(input.count, place + Int.random(in: 1...8, using: &random))]
    let times = Int.random(in: 2...200, using: &random)
    insert(Array(repeatElement(part, count: times).joined()), at: place, of: &input)
  }
}
