/// Random documents: made from the grammar, so that many are valid, or by slightly damaging others.
struct RandomTOML {
  var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// A few statements with very few keys, so that tables are often extended, sometimes wrongly.
  mutating func document() -> [UInt8] {
    let newline = generator.pick(["\n", "\n", "\r\n"])
    let lines = (0..<generator.number(below: 9)).map { _ in statement() + comment() }
    return Array(lines.joined(separator: newline).utf8)
  }

  /// `document` with a few pieces removed, repeated, or replaced by dangerous text.
  mutating func damaged(_ document: [UInt8]) -> [UInt8] {
    var document = document
    for _ in 0...generator.number(below: 3) {
      let start = generator.number(below: document.count + 1)
      let length = min(generator.number(below: 4), document.count - start)
      let piece = generator.number(below: 4) == 0 ? Array(document[start..<start + length]) : dangerousPiece()
      document.replaceSubrange(start..<start + length, with: piece)
    }
    return document
  }

  private mutating func dangerousPiece() -> [UInt8] {
    guard generator.number(below: 8) > 0 else { return [UInt8(generator.number(below: 256))] }
    return Array(generator.pick(Self.pieces).utf8)
  }

  private static let pieces = [
    "", "", "\"", "'", "\"\"\"", "'''", "[", "]", "[[", "]]", "{", "}", ",", ".", "=", "#", "\\", "\n", "\r", "\r\n",
    " ", "\t", "_", "-", "+", "0", "1", "e", "x", "T", "Z", ":", "\\u00e9", "\\U0001F600", "é", "\u{0}", "\u{7F}",
    "a = 1\n",
    "[a]\n", "inf", "nan", "true", "1979-05-27", "07:32:00", "\\\n",
  ]

  private mutating func statement() -> String {
    switch generator.number(below: 10) {
    case 0: ""
    case 1, 2: "[" + blank() + path() + blank() + "]"
    case 3: "[[" + path() + "]]"
    default: blank() + keyValue()
    }
  }

  private mutating func keyValue(depth: Int = 0) -> String {
    path() + blank() + "=" + blank() + value(depth: depth)
  }

  private mutating func comment() -> String { generator.number(below: 6) == 0 ? " # note \"é" : "" }

  private mutating func blank() -> String { generator.pick(["", " ", "\t", "  "]) }

  private mutating func path() -> String {
    (0...generator.pick([0, 0, 0, 1, 1, 2])).map { _ in key() }.joined(separator: generator.pick([".", ".", " . "]))
  }

  private mutating func key() -> String {
    generator.pick([
      "a", "b", "c", "d", "a-b", "1", "\"a\"", "'b'", "\"\\u0061\"", "\"x y\"", "\"\"", "é".debugDescription,
    ])
  }

  private mutating func value(depth: Int) -> String {
    switch generator.number(below: depth < 3 ? 9 : 6) {
    case 0: string()
    case 1: integer()
    case 2: generator.pick(["1.5", "-0.0", "1e3", "6.02_2E+23", "inf", "-nan", "3.14e-1_0", "+1_0.0_1", "1e400"])
    case 3: generator.pick(["true", "false"])
    case 4: dateTime()
    case 5: generator.pick(Self.texts)
    case 6, 7: array(depth: depth)
    default: inlineTable(depth: depth)
    }
  }

  private static let texts = [
    "\"\"\"\na\\\n   b\"\"\"", "\"\"\"\"a\"\"\"\"\"", "'''\r\n'a'\n'''", "'C:\\n'", "\"\\\"\\\\\\t\"",
    "\"\\U0001F600é\"",
  ]

  private mutating func string() -> String {
    let letters = ["a", "é", "#", "[", "=", "\\n", "\\u00e9", " ", "\t", "😀", "'", ","]
    return "\"" + (0..<generator.number(below: 6)).map { _ in generator.pick(letters) }.joined() + "\""
  }

  private mutating func integer() -> String {
    let number = generator.number(below: 100_000)
    return generator.pick([
      String(number), "-\(number)", "+\(number)", "0x" + String(number, radix: 16), "0o" + String(number, radix: 8),
      "0b" + String(number, radix: 2), "1_000", String(Int.max), String(Int.min),
    ])
  }

  private mutating func dateTime() -> String {
    let day = padded([1900 + generator.number(below: 200)]) + "-" + padded([number(12) + 1, number(31) + 1])
    let time = padded([number(24), number(60), number(60)], by: ":") + generator.pick(["", ".5", ".123456789"])
    let zone = generator.pick(["", "Z", "z", "+05:30", "-00:00", "-23:59"])
    return generator.pick([day, time, day + generator.pick(["T", "t", " "]) + time + zone])
  }

  private mutating func number(_ limit: Int) -> Int { generator.number(below: limit) }

  private func padded(_ numbers: [Int], by separator: String = "-") -> String {
    numbers.map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: separator)
  }

  private mutating func array(depth: Int) -> String {
    let gap = generator.pick(["", " ", "\n  ", " # note\n"])
    let values = (0..<generator.number(below: 4)).map { _ in value(depth: depth + 1) + gap }
    return "[" + gap + values.joined(separator: "," + gap) + (values.isEmpty ? "" : generator.pick(["", ","])) + gap
      + "]"
  }

  private mutating func inlineTable(depth: Int) -> String {
    "{" + (0..<generator.number(below: 4)).map { _ in keyValue(depth: depth + 1) }.joined(separator: ", ") + "}"
  }
}
