import SettingsRegistry
import Testing

@Suite struct ValueTests {
  static let environment = SettingsEnvironment(folder: "/etc/syncd", variables: ["HOME": "/home/ann", "A": "x"])

  /// The value of `text` in TOML, or the mistakes in it.
  func read<Value: SettingValue>(_ text: String, as type: Value.Type = Value.self) throws -> Value {
    let document = TOMLDocument("a = \(text)".utf8, file: "f")
    return try Value(try #require(document.root["a"]).node, in: Self.environment)
  }

  func refusal<Value: SettingValue>(_ text: String, as type: Value.Type) throws -> String {
    let error = #expect(throws: SettingsError.self) { try read(text, as: type) }
    return try #require(error).description
  }

  @Test(
    "durations are parsed",
    arguments: [
      ("500ms", 500), ("90s", 90_000), ("5m", 300_000), ("1h30m", 5_400_000), ("90d", 7_776_000_000), ("0s", 0),
      ("1d2h3m4s5ms", 93_784_005), ("1h0m", 3_600_000), ("0090s", 90_000),
      ("36500d", 3_153_600_000_000), ("200000d", 3_153_600_000_000),
    ])
  func durations(text: String, milliseconds: Int) throws {
    let duration: Duration = try read("\"\(text)\"")
    #expect(duration == .milliseconds(milliseconds))
    #expect(Duration(text: duration.text) == duration)
  }

  @Test(
    "invalid durations are refused",
    arguments: [
      "", "5", "m", "5 m", "5M", "-5m", "5m1h", "5m5m", "1.5h", "5min", "99999999999999999999s", "9999999999999999d",
      "٥m",
    ])
  func noDurations(text: String) throws {
    #expect(try refusal("\"\(text)\"", as: Duration.self) == "f:1:5: expected a duration such as \"5m\"")
  }

  @Test("durations are printed in common units")
  func durationTexts() {
    #expect(Duration.seconds(5400).text == "1h30m")
    #expect(Duration.milliseconds(90_500).text == "1m30s500ms")
    #expect(Duration.zero.text == "0s")
    #expect(Duration.seconds(-1).text == "0s")
  }

  @Test(
    "sizes are parsed",
    arguments: [
      ("\"10MiB\"", 10 << 20, "10MiB"), ("\"500kB\"", 500_000, "500000B"), ("\"1GB\"", 1_000_000_000, "1000000000B"),
      ("\"2TiB\"", 2 << 40, "2TiB"), ("4096", 4096, "4KiB"), ("\"0B\"", 0, "0B"), ("\"1536B\"", 1536, "1536B"),
    ])
  func sizes(text: String, bytes: Int, written: String) throws {
    let size: ByteSize = try read(text)
    #expect((size.bytes, size.text) == (bytes, written))
    #expect(ByteSize(text: written) == size)
  }

  @Test(
    "invalid sizes are refused",
    arguments: ["\"10\"", "\"MiB\"", "\"10 MiB\"", "\"-1B\"", "-1", "\"9999999TiB\"", "\"10mib\""])
  func noSizes(text: String) throws {
    #expect(try refusal(text, as: ByteSize.self) == "f:1:5: expected a size such as \"10MiB\"")
  }

  @Test(
    "limits for deletions are parsed",
    arguments: [
      ("25", Share.count(25), 25), ("\"25\"", .count(25), 25), ("\"25%\"", .percent(25), 50),
      ("\"100%\"", .percent(100), 200),
      ("\"0%\"", .percent(0), 0),
    ])
  func shares(text: String, share: Share, ofTwoHundred: Int) throws {
    #expect(try read(text) == share)
    #expect(share.count(of: 200) == ofTwoHundred)
  }

  @Test(
    "a percentage applies to any number", arguments: [(33, 10, 3), (25, 7, 1), (100, Int.max, Int.max), (99, 0, 0)])
  func percentages(percent: Int, whole: Int, expected: Int) {
    #expect(Share.percent(percent).count(of: whole) == expected)
  }

  @Test(
    "invalid limits for deletions are refused",
    arguments: ["-1", "\"101%\"", "\"%\"", "\"\"", "\"2.5%\"", "\"25 %\"", "\"+5\""])
  func noShares(text: String) throws {
    #expect(try refusal(text, as: Share.self) == "f:1:5: expected a count or a percentage such as \"25%\"")
  }

  @Test(
    "paths become absolute",
    arguments: [
      ("/a/b", "/a/b"), ("~", "/home/ann"), ("~/org", "/home/ann/org"), ("org", "/etc/syncd/org"),
      ("../o", "/etc/syncd/../o"),
      ("${HOME}/${A}/y", "/home/ann/x/y"), ("~ann/x", "/etc/syncd/~ann/x"), ("a$b", "/etc/syncd/a$b"),
      ("${A}", "/etc/syncd/x"),
    ])
  func paths(text: String, path: String) throws {
    #expect(try read("\"\(text)\"", as: SettingPath.self).path == path)
  }

  @Test(
    "invalid paths are refused",
    arguments: [
      ("\"\"", "expected a path"), ("\"a\\u0000b\"", "expected a path"),
      ("\"${NOWHERE}/x\"", "the environment has no variable \"NOWHERE\""), ("\"${A\"", "\"${\" is not closed by \"}\""),
      ("1", "expected a path, not an integer"),
    ])
  func noPaths(text: String, message: String) throws {
    #expect(try refusal(text, as: SettingPath.self) == "f:1:5: \(message)")
  }

  @Test(
    "addresses are parsed",
    arguments: [
      ("https://dav.example.org/org/", "https"), ("HTTP://x:80", "http"), ("ssh://git@host/x:y", "ssh"),
      ("https://${A}.org/?q=a:b@c", "https"), ("file:///tmp", "file"),
    ])
  func addresses(text: String, scheme: String) throws {
    #expect(try read("\"\(text)\"", as: URLText.self).scheme == scheme)
  }

  @Test(
    "invalid addresses are refused",
    arguments: ["", "x", "://x", "https://", "https://a b", "https://u:p@x", "1a://x", "é://x"])
  func noAddresses(text: String) throws {
    #expect(try refusal("\"\(text)\"", as: URLText.self) == "f:1:5: expected an address without a password")
  }

  @Test("numbers, booleans and texts are parsed")
  func basics() throws {
    #expect(try read("7", as: Int.self) == 7)
    #expect(try read("7", as: Double.self) == 7)
    #expect(try read("7.5", as: Double.self) == 7.5)
    #expect(try read("true", as: Bool.self))
    #expect(try read("\"x\"", as: String?.self) == "x")
    #expect(try read("[\"*.org\", \"b\"]", as: [Glob].self) == ["*.org", "b"])
    #expect(try refusal("7.0", as: Int.self) == "f:1:5: expected an integer, not a float")
    #expect(try refusal("\"true\"", as: Bool.self) == "f:1:5: expected true or false, not a string")
    #expect(try refusal("1979-05-27", as: String.self) == "f:1:5: expected a string, not a date or time")
    #expect(try refusal("\"\"", as: Glob.self) == "f:1:5: expected a pattern such as \"*.org\"")
  }

  /// A type from the author of a plugin.
  struct Weekday: TextSettingValue {
    static var form: SettingForm { SettingForm("a day such as \"mon\"", schema: ["type": "string"]) }
    let text: String
    init?(text: String) {
      guard ["mon", "tue"].contains(text) else { return nil }
      self.text = text
    }
  }

  @Test("plugins can add types of their own")
  func ownTypes() throws {
    #expect(try read("[\"mon\"]", as: [Weekday]?.self)?.map(\.text) == ["mon"])
    #expect(try refusal("\"x\"", as: Weekday.self) == "f:1:5: expected a day such as \"mon\"")
    #expect(try refusal("1", as: Weekday.self) == "f:1:5: expected a day such as \"mon\", not an integer")
  }

  @Test("a list reports the mistakes of all its elements")
  func lists() throws {
    #expect(
      try refusal("[1, \"a\", 2]", as: [String].self) == """
        f:1:6: expected a string, not an integer
        f:1:14: expected a string, not an integer
        """)
    #expect(try refusal("\"a\"", as: [String].self) == "f:1:5: expected a list, each a string, not a string")
  }
}
