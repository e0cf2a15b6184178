import SettingsRegistry
import Testing

@Suite struct TOMLDocumentTests {
  @Test(
    "each mistake is reported at its position",
    arguments: [
      ("a = 5m", ["1:5: this is neither a number nor a date or time; text needs quotes"]),
      ("a = yes", ["1:5: expected a value; text needs quotes"]),
      ("a =\nb", ["1:4: expected a value; text needs quotes", "2:2: expected \"=\""]),
      ("é = 1\nb = 1 2", ["1:1: expected a key", "2:7: expected a new line"]),
      ("a = 'é' x", ["1:9: expected a new line"]),
      ("a = '😀é' x", ["1:10: expected a new line"]),
      ("[a", ["1:3: expected \"]\""]),
      ("[[a]", ["1:4: expected \"]]\""]),
      ("a = 9223372036854775808", ["1:5: the integer does not fit 64 bits"]),
      ("a = \"x", ["1:5: the string is not closed in its line"]),
      ("\na = \"\"\"x\n", ["2:5: the string is not closed"]),
      ("a = [1, 2", ["1:10: the array is not closed"]),
      ("a = [1 2]", ["1:8: expected \",\" or \"]\""]),
      ("a = {b = 1 c = 2}", ["1:12: expected \",\" or \"}\""]),
      (#"a = "\q \x""#, ["1:6: TOML has no such escape", "1:9: TOML has no such escape"]),
      (
        "a = '\u{1}\u{2}'",
        ["1:6: a control character is not allowed here", "1:7: a control character is not allowed here"]
      ),
      ("a = 1\n\na = 2", ["3:1: \"a\" is already defined in line 1"]),
      ("[a]\n[b]\n[a]", ["3:2: \"a\" is already defined in line 1"]),
      ("[t]\n x.y = 1\n x = 2", ["3:2: \"x\" is already defined in line 2"]),
    ])
  func mistakes(text: String, expected: [String]) {
    #expect(mistakes(in: text) == expected)
  }

  @Test(
    "after a mistake within brackets, parsing continues at the next statement",
    arguments: [
      ("a = [\n  1 1,\n  2,\n]\nb = ?\n", ["2:5", "5:5"]),
      ("a = [\n  1 1,\n  [2],\n  {c = 1},\n]\n[b]\nc = ?\n", ["2:5", "7:5"]),
      ("a = { b = [\n 1 1\n] }\n[[b]]\nc = ?\n", ["2:4", "5:5"]),
    ])
  func recovery(text: String, expected: [String]) {
    #expect(mistakes(in: text).map { $0.prefix(3) } == expected.map { $0[...] })
  }

  @Test("a key with an invalid value exists")
  func unreadable() {
    let root = TOMLDocument("a = ?\n[b]\nc.d = [1 1]".utf8, file: "f").root
    #expect(root["a"]?.node.value == .unreadable)
    #expect(root["b"]?.node.value.kind == "a table")
  }

  @Test("keys and values have their positions")
  func locations() throws {
    let document = TOMLDocument("\u{FEFF}é.'b' = 1".utf8, file: "f")
    #expect(document.mistakes.map(\.description) == ["f:1:1: expected a key"])
    let root = TOMLDocument("a = 1\n  [b.c]\r\n'é' = { x = [1, 'two'] }".utf8, file: "f").root
    let table = try #require(root["b"]?.node)
    #expect(table.location == at(2, 3))
    guard case .table(let b) = table.value, case .table(let c)? = b["c"]?.node.value else { throw Missing() }
    let entry = try #require(c["é"])
    #expect((entry.key.location, entry.node.location) == (at(3, 1), at(3, 7)))
    guard case .table(let inline) = entry.node.value, case .array(let nodes)? = inline["x"]?.node.value else {
      throw Missing()
    }
    #expect(nodes.map(\.location) == [at(3, 14), at(3, 17)])
  }

  @Test("comments are kept with their positions")
  func comments() {
    let document = TOMLDocument("# one\na = [ # two\n 1 #é\n] # four".utf8, file: "f")
    #expect(document.comments.map(\.text) == [" one", " two", "é", " four"])
    #expect(document.comments.map(\.location) == [at(1, 1), at(2, 7), at(3, 4), at(4, 3)])
  }

  @Test("keys are equal only if their bytes are")
  func keys() {
    let root = TOMLDocument("\"\\u00e9\" = 1\n\"e\\u0301\" = 2".utf8, file: "f").root
    #expect(root.entries.count == 2)
    #expect(root["\u{e9}"]?.node.value == .integer(1))
    #expect(root["e\u{301}"]?.node.value == .integer(2))
  }

  @Test("bytes that are not UTF-8 are reported at their position")
  func notUTF8() {
    let bytes = Array("a = 'é".utf8) + [0xFF] + Array("'\n# ".utf8) + [0xC0]
    let mistakes = TOMLDocument(bytes, file: "f").mistakes
    #expect(mistakes.map(\.description) == ["f:1:7: this is not UTF-8", "f:2:3: this is not UTF-8"])
  }

  @Test(
    "nesting is limited in every syntax",
    arguments: [
      "a = " + String(repeating: "[", count: 100_000),
      "a = " + String(repeating: "{ a = ", count: 100_000),
      String(repeating: "a.", count: 100_000) + "a = 1",
      "[" + String(repeating: "a.", count: 100_000) + "a]",
      "[" + String(repeating: "a.", count: 100) + "a]\n" + String(repeating: "b.", count: 100) + "b = 1",
    ])
  func nesting(text: String) {
    #expect(mistakes(in: text).contains { $0.hasSuffix("this is nested too deeply") })
    #expect(mistakes(in: "a = " + String(repeating: "[", count: 127) + String(repeating: "]", count: 127)) == [])
  }

  @Test(
    "a printed value is parsed again unchanged",
    arguments: [
      "\"a\\n\\\"\\\\é\\u007f\"", "-5", "1.5", "inf", "-inf", "nan", "true", "1979-05-27T07:32:00.05-07:30",
      "1979-05-27T07:32:00Z", "1979-05-27T07:32:00", "1979-05-27", "07:32:00.000000001", "[1, [\"a\"]]",
      "{ a = 1, \"b c\" = {} }", "[]",
    ])
  func text(_ text: String) {
    let document = TOMLDocument("a = \(text)".utf8, file: "f")
    #expect(document.root["a"]?.node.value.text == text)
  }

  private struct Missing: Error {}

  private func at(_ line: Int, _ column: Int) -> TextLocation {
    TextLocation(file: "f", line: line, column: column)
  }

  private func mistakes(in text: String) -> [String] {
    TOMLDocument(text.utf8, file: "f").mistakes.map { String($0.description.dropFirst(2)) }
  }
}
