import SettingsRegistry

extension FuzzTarget {
  static let toml = FuzzTarget(
    name: "toml",
    tokens: [
      "[a]", "[[a]]", "a.b = 1\n", "\"\"\"", "'''", "{ a = 1 }", "1979-05-27T07:32:00Z", "\\u00E9", "\\UFFFFFFFF", "0x",
      "inf", "#",
    ]
  ) { input in
    let document = TOMLDocument(input, file: "s.toml")
    _ = document.mistakes.map(\.description)
  }

  static let json = FuzzTarget(
    name: "json", tokens: ["{", "}", "[", "]", "\"", ":", ",", "\\u", "\\uD800", "null", "1e"]
  ) { input in
    let value = JSON.string(String(decoding: input, as: UTF8.self))
    guard !value.line.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw Wrong("a control character in JSON")
    }
  }
}

/// A forbidden result of a parser.
struct Wrong: Error {
  let what: String

  init(_ what: String) { self.what = what }
}
