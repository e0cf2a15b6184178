import Testing

@testable import SettingsRegistry

@Suite("Editing TOML in place")
struct TOMLTextTests {
  private static let file = """
    # Mine.

    [store]
    path = "org" # here

    # The stick.
    [remotes.usb] # blue
    sync = "plain-files"
    # mode = "send"

    [remotes.usb.folder]
    path = "a" # old

    # Later.

    [remotes.nas]
    sync = "git"

    """

  private func edited(
    _ text: String = file, _ edit: (inout TOMLText) throws(SettingsError) -> Void
  ) throws -> String {
    var file = try TOMLText(text.utf8, file: "s.toml")
    try edit(&file)
    return String(decoding: file.bytes, as: UTF8.self)
  }

  @Test("a value is replaced and its comment stays")
  func set() throws {
    let text = try edited { file throws(SettingsError) in
      try file.set("\"b\"", at: ["remotes", "usb", "folder", "path"])
    }
    #expect(text == Self.file.replacing("path = \"a\" # old", with: "path = \"b\" # old"))
  }

  @Test("a new value comes after the last one of its table, and a new table after those around it")
  func insert() throws {
    let value = try edited { file throws(SettingsError) in try file.set("\"send\"", at: ["remotes", "usb", "mode"]) }
    #expect(value == Self.file.replacing("sync = \"plain-files\"\n", with: "sync = \"plain-files\"\nmode = \"send\"\n"))
    let table = try edited { file throws(SettingsError) in try file.set("1", at: ["remotes", "usb", "age", "n"]) }
    #expect(table == Self.file.replacing("# old\n", with: "# old\n\n[remotes.usb.age]\nn = 1\n"))
    #expect(
      try edited("a = 1") { file throws(SettingsError) in try file.set("2", at: ["t", "b"]) } == "a = 1\n\n[t]\nb = 2\n"
    )
    #expect(try edited("[t]") { file throws(SettingsError) in try file.set("2", at: ["t", "b"]) } == "[t]\nb = 2\n")
  }

  @Test("a table is removed with the comments directly above it, and no others")
  func remove() throws {
    let text = try edited { file throws(SettingsError) in try file.remove(["remotes", "usb"]) }
    #expect(text == "# Mine.\n\n[store]\npath = \"org\" # here\n\n# Later.\n\n[remotes.nas]\nsync = \"git\"\n")
    #expect(try edited("# Top\n[a]\nb = 1\n") { file throws(SettingsError) in try file.remove(["a"]) } == "# Top\n")
    #expect(
      try edited("[a]\nb = 1\nc = 2\n") { file throws(SettingsError) in try file.remove(["a", "b"]) } == "[a]\nc = 2\n")
  }

  @Test("a table gets another name in headers, dotted keys and quotes")
  func rename() throws {
    let text = "r.a.x = 1\n[r.\"b c\"]\ny = 1\n[r.\"b c\".d]\nr = 2\n"
    let first = try edited(text) { file throws(SettingsError) in try file.rename(["r", "a"], to: "z z") }
    #expect(first == "r.\"z z\".x = 1\n[r.\"b c\"]\ny = 1\n[r.\"b c\".d]\nr = 2\n")
    let second = try edited(text) { file throws(SettingsError) in try file.rename(["r", "b c"], to: "e") }
    #expect(second == "r.a.x = 1\n[r.e]\ny = 1\n[r.e.d]\nr = 2\n")
  }

  @Test("line ends, a byte order mark and multi-line values stay")
  func bytes() throws {
    let text = "\u{FEFF}[a]\r\nb = [ # one\r\n  1,\r\n]\r\nc = \"\"\"x\r\ny\"\"\"\r\n"
    #expect(
      try edited(text) { file throws(SettingsError) in try file.set("2", at: ["a", "b"]) }
        == "\u{FEFF}[a]\r\nb = 2\r\nc = \"\"\"x\r\ny\"\"\"\r\n")
  }

  @Test("what is written in braces is refused with its line", arguments: [["r", "a", "x"], ["r", "a"]])
  func braces(path: [String]) {
    #expect(throws: SettingsError.self) {
      try edited("k = 1\nr = { a = { x = 1 } }\n") { file throws(SettingsError) in try file.set("2", at: path) }
    }
    #expect(throws: SettingsError.self) {
      try edited("r = { a = { x = 1 } }\n") { file throws(SettingsError) in try file.rename(path, to: "b") }
    }
  }

  @Test(
    "after random edits the file has exactly the edited values and every comment", arguments: 0..<40 as Range<UInt64>)
  func random(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    var text = "# top\n"
    var model: [String: Int] = [:]
    for table in 0..<Int.random(in: 1...5, using: &random) {
      text += "\n# about \(table)\n[t\(table)] # header\n"
      for key in 0..<Int.random(in: 0...4, using: &random) {
        text += "k\(key)   =  \(key) # value\n"
        model["t\(table).k\(key)"] = key
      }
    }
    var file = try TOMLText(text.utf8, file: "s.toml")
    for _ in 0..<20 {
      let (table, key) = ("t\(Int.random(in: 0...6, using: &random))", "k\(Int.random(in: 0...6, using: &random))")
      let value = Int.random(in: 10...99, using: &random)
      try file.set("\(value)", at: [table, key])
      model["\(table).\(key)"] = value
      guard Int.random(in: 0..<4, using: &random) == 0, let removed = model.keys.sorted().randomElement(using: &random)
      else { continue }
      try file.remove(removed.split(separator: ".").map(String.init))
      model[removed] = nil
    }
    let document = TOMLDocument(file.bytes, file: "s.toml")
    var found: [String: Int] = [:]
    for table in document.root.entries {
      guard case .table(let inner) = table.node.value else { continue }
      for entry in inner.entries {
        if case .integer(let value) = entry.node.value { found["\(table.key.text).\(entry.key.text)"] = value }
      }
    }
    #expect(document.mistakes.isEmpty && found == model, "seed \(seed)")
    #expect(document.comments.contains { $0.text == " top" })
    let headers = document.comments.count { $0.text == " header" }
    #expect(headers == text.split(separator: "\n").count { $0.hasSuffix("# header") })
  }
}

/// SplitMix64, so that a seed repeats a test.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
