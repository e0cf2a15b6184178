import Testing

@testable import SettingsRegistry

@Suite struct SettingTests {
  struct Settings: PluginSettings {
    @Setting("A folder.") var folder: SettingPath = "~/x"
    @Setting("A number.", .range(1...9)) var number = 5
    @Setting("A number or none.", .range(1...9)) var other: Int?
    @Setting("A time.", .range(.seconds(1) ... .seconds(60))) var time = Duration.seconds(5)
    @Setting("A word.") var requiredWord: String
    init() {}
  }

  func read<Read: PluginSettings>(_ text: String, as type: Read.Type = Settings.self) throws -> Read {
    let environment = SettingsEnvironment(folder: "/etc", variables: ["HOME": "/home/ann"])
    return try SettingsFile(text.utf8, file: "f", environment: environment).read { $0.settings(type) }
  }

  /// Settings that several plugins include.
  struct Group: PluginSettings {
    @Setting("A host.") var host: String
    @Setting("A port.", .range(1...9)) var port = 2
    init() {}
    var contradictions: [String] { host.isEmpty ? ["`host` is empty"] : [] }
  }

  struct Including: PluginSettings {
    @Setting("A word.") var word = "w"
    var group = Group()
    @Setting("Another word.") var last = "l"
    init() {}
    var contradictions: [String] { word == host ? ["`word` is the host"] : [] }
    private var host: String { group.host }
  }

  @Test("a group of settings is in the table of each plugin that includes it")
  func group() throws {
    let settings = try read("host = 'h'\nport = 3\nword = 'a'", as: Including.self)
    #expect((settings.word, settings.group.host, settings.group.port) == ("a", "h", 3))
    #expect(settings.group.$port.origin.description == "f:2:8")
    #expect(Including.declarations.map(\.key) == ["word", "host", "port", "last"])
    #expect(settings.effective.map(\.key) == ["word", "host", "port", "last"])
    #expect(Including.declarations[1].isRequired)
  }

  @Test(
    "mistakes in a group are reported as if the group were declared in place",
    arguments: [
      ("port = 3", "f:1:1: \"host\" is missing in []"),
      ("host = 'h'\nport = 10", "f:2:8: the value must be between 1 and 9"),
      ("host = ''\nword = ''", "f:1:1: `host` is empty; f:1:1: `word` is the host"),
      ("host = 'h'\nprot = 1", "f:2:1: unknown setting \"prot\" (did you mean \"port\"?)"),
    ])
  func mistakesInGroup(text: String, message: String) {
    let error = #expect(throws: SettingsError.self) { try read(text, as: Including.self) }
    #expect(error?.description.replacing("\n", with: "; ") == message)
  }

  @Test("a setting knows the origin of its value")
  func origins() throws {
    var settings = try read("number = 7\nrequired-word = 'a'")
    #expect(settings.$number.origin.description == "f:1:10")
    #expect(settings.$time.origin.description == "default")
    settings.time = .seconds(9)
    #expect(settings.$time.origin.description == "set by the program")
    #expect(settings.time == .seconds(9))
  }

  @Test("a default expands like a value in the file")
  func defaults() throws {
    #expect(try read("required-word = 'a'").folder.path == "/home/ann/x")
    #expect(Settings.declarations.first?.defaultValue == .string("~/x"))
  }

  @Test("changing a copy leaves the original unchanged")
  func copies() throws {
    let first = try read("required-word = 'a'")
    var second = first
    second.requiredWord = "b"
    second.number = 1
    #expect((first.requiredWord, first.number) == ("a", 5))
    #expect((second.requiredWord, second.number) == ("b", 1))
  }

  @Test("settings can be created without a file")
  func withoutFile() {
    var settings = Settings()
    #expect(settings.$requiredWord.value == nil)
    settings.requiredWord = "a"
    #expect(settings.requiredWord == "a")
    #expect(settings.other == nil)
  }

  @Test(
    "a value out of range is refused",
    arguments: [
      ("number = 0", "f:1:10: the value must be between 1 and 9"),
      ("other = 10", "f:1:9: the value must be between 1 and 9"),
      ("time = '2m'", "f:1:8: the value must be between \"1s\" and \"1m\""),
    ])
  func ranges(text: String, message: String) {
    let error = #expect(throws: SettingsError.self) { try read("\(text)\nrequired-word = 'a'") }
    #expect(error?.description == message)
  }

  @Test("the error for an unreadable file has its name")
  func noFile() {
    let error = #expect(throws: SettingsError.self) { try SettingsFile(path: "/no/such/file.toml") }
    #expect(
      error?.description == "/no/such/file.toml:1:1: \"/no/such/file.toml\" cannot be read: No such file or directory")
  }

  @Test("the environment of a settings file has the file's folder", arguments: [("/a/b.toml", "/a"), ("/b.toml", "/")])
  func environment(path: String, folder: String) {
    #expect(SettingsEnvironment.current(forFileAt: path).folder == folder)
    #expect(SettingsEnvironment.current(forFileAt: path).variables["HOME"]?.hasPrefix("/") == true)
  }

  @Test(
    "keys are the kebab case of property names",
    arguments: [
      ("url", "url"), ("caFile", "ca-file"), ("apiURL", "api-url"), ("URLText", "url-text"),
      ("max_delete", "max-delete"),
      ("keepBoth2", "keep-both2"), ("use2FA", "use2-fa"), ("aB", "a-b"),
    ])
  func keys(property: String, key: String) {
    #expect(kebabCase(property) == key)
  }

  @Test(
    "the edit distance is correct",
    arguments: [
      ("", "", 0), ("a", "", 1), ("", "ab", 2), ("url", "ulr", 1), ("merge", "merg", 1), ("kitten", "sitting", 3),
      ("ca-file", "cafile", 1), ("abc", "cab", 2),
    ])
  func edits(first: String, second: String, distance: Int) {
    #expect(editDistance(first, second) == distance)
    #expect(editDistance(second, first) == distance)
  }

  @Test(
    "only similar names are suggested",
    arguments: [
      ("ulr", "url"), ("pasword", "password"), ("caFile", "ca-file"), ("ca_file", "ca-file"), ("PASSWORD", "password"),
      ("x", nil), ("", nil), ("passphrase", nil), (String(repeating: "x", count: 10_000), nil),
    ])
  func suggestions(word: String, suggestion: String?) {
    #expect(["url", "password", "ca-file"].nearest(to: word) == suggestion)
  }
}
