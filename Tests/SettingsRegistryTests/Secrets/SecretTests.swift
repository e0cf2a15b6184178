import Foundation
import Testing

@testable import SettingsRegistry

@Suite struct SecretTests {
  struct Settings: PluginSettings {
    @Setting("Password.", .secret) var password: Secret? = nil
    @Setting("Token.", .secret) var token = "hunter2"
    @Setting("Level.", .secret, .range(1...3)) var level = 1
    init() {}
  }

  /// The secret that `text` refers to, as the value of a setting.
  func secret(_ text: String, _ variables: [String: String] = [:]) throws -> Secret {
    let file = SettingsFile(
      "password = \(text)".utf8, file: "f", environment: SettingsEnvironment(folder: "/tmp", variables: variables))
    return try #require(try file.read { $0.settings(Settings.self) }.password)
  }

  func reveal(_ text: String, _ variables: [String: String] = [:]) async throws -> String {
    try await secret(text, variables).reveal()
  }

  func refusal(_ text: String, _ variables: [String: String] = [:]) async throws -> String {
    let error = await #expect(throws: SecretError.self) { try await reveal(text, variables) }
    return try #require(error).description
  }

  @Test("a secret cannot print itself")
  func printsNothing() throws {
    var dumped = ""
    var settings = Settings()
    settings.password = Secret("hunter2")
    dump(settings, to: &dumped)
    dump(settings.password, to: &dumped)
    dump(settings.effective, to: &dumped)
    let password = try #require(settings.password)
    let encoded = try JSONEncoder().encode(["password": password])
    let texts = [
      "\(password)", "\(String(describing: settings.password))", "\([password])", "\(settings)", dumped,
      String(reflecting: password), String(reflecting: settings), String(decoding: encoded, as: UTF8.self),
      "\(Mirror(reflecting: password).children.map(\.value))", "\(settings.$password)", "\(settings.$token)",
    ]
    for text in texts { #expect(!text.contains("hunter2")) }
    #expect("\(password)" == "<secret>")
    #expect(String(decoding: encoded, as: UTF8.self) == #"{"password":"<secret>"}"#)
    #expect(settings.effective.map { $0.value?.text } == ["\"<secret>\"", "\"<secret>\"", "\"<secret>\""])
    #expect(Settings.declarations.map(\.defaultValue) == [nil, nil, nil])
  }

  @Test(
    "no error quotes a secret",
    arguments: [
      "password = hunter2", "password = \"hunter2", "password = 'hunter2' 'hunter2'", "password = [\"hunter2\"]",
      "password = \"hunter2\\q\"", "password = { env = 1, file = \"hunter2\" }", "password = { command = \"hunter2\" }",
      "password = { env = \"hunter2/\" }", "password = \"\"\"hunter2", "password =\nhunter2", "level = \"hunter2\"",
      "level = 7077137", "token = { a = \"hunter2\" }", "password = { file = \"${hunter}hunter2\" }",
    ])
  func mistakesQuoteNothing(text: String) throws {
    let file = SettingsFile(text.utf8, file: "f", environment: SettingsEnvironment(folder: "/tmp"))
    let error = #expect(throws: SettingsError.self) { try file.read { $0.settings(Settings.self) } }
    #expect(try !#require(error).description.contains("hunter2"))
    #expect(try !#require(error).description.contains("7077137"))
  }

  @Test("a literal is used unchanged")
  func literal() async throws {
    #expect(try await reveal("\"${HOME} ~ \\n\"") == "${HOME} ~ \n")
    #expect(try await Secret("x").reveal() == "x")
  }

  @Test("a variable is read from the given environment")
  func variable() async throws {
    #expect(try await reveal("{ env = \"TOKEN\" }", ["TOKEN": "hunter2"]) == "hunter2")
    #expect(try await refusal("{ env = \"TOKEN\" }") == "the environment has no variable \"TOKEN\"")
  }

  @Test(
    "the output of a command is the secret, without the final newline",
    arguments: [
      ("[\"printf\", \"hunter2\\n\"]", "hunter2"),
      ("[\"printf\", \"hunter2\\r\\n\"]", "hunter2"),
      ("[\"printf\", \" hunter2 \\n\\n\"]", " hunter2 \n"),
      ("[\"printf\", \"%s\", \"$HOME; echo `id` 'é' *\"]", "$HOME; echo `id` 'é' *"),
      ("[\"/bin/sh\", \"-c\", \"printf $TOKEN\"]", "hunter2"),
      ("[\"../bin/sh\", \"-c\", \"printf $TOKEN\"]", "hunter2"),
      ("[\"sh\", \"-c\", \"cat; echo end\"]", "end"),
      ("[\"sh\", \"-c\", \"sleep 3 & echo parent\"]", "parent"),
      ("[\"sh\", \"-c\", \"exec >&-; sleep 0.1\"]", nil),
    ])
  func command(words: String, expected: String?) async throws {
    let text = "{ command = \(words) }"
    let variables = ["TOKEN": "hunter2", "PATH": "/usr/bin:/bin"]
    if let expected {
      #expect(try await reveal(text, variables) == expected)
    } else {
      #expect(try await refusal(text, variables) == "the command \"sh\" yields an empty secret")
    }
  }

  @Test(
    "an error names the failed command without its arguments",
    arguments: [
      ("[\"sh\", \"-c\", \"echo hunter2; exit 3\"]", "the command \"sh\" failed with status 3"),
      ("[\"sh\", \"-c\", \"kill -TERM $$ # hunter2\"]", "the command \"sh\" failed with status 143"),
      (
        "[\"no-such-program-hunter\", \"x\"]",
        "the command \"no-such-program-hunter\" cannot be run: No such file or directory"
      ),
      ("[\"./no-such-program\"]", "the command \"/tmp/./no-such-program\" cannot be run: No such file or directory"),
      ("[\"printf\", \"\\\\377\"]", "the command \"printf\" yields bytes that are not UTF-8"),
      ("[\"printf\", \"\\n\"]", "the command \"printf\" yields an empty secret"),
      ("[\"yes\"]", "the command \"yes\" prints too much"),
    ])
  func failingCommand(words: String, expected: String) async throws {
    #expect(try await refusal("{ command = \(words) }") == expected)
  }

  @Test("a command that exceeds its timeout is abandoned")
  func slowCommand() async throws {
    var command = BoundedCommand(["sleep", "infinity"], variables: [:])
    command.timeLimit = .milliseconds(100)
    let error = await #expect(throws: SecretError.self) { try await command.output() }
    #expect(error?.description == "the command \"sleep\" takes longer than 100ms")
  }

  @Test("cancelling the task ends its command and all children")
  func cancellation() async throws {
    let sign = NSTemporaryDirectory() + UUID().uuidString
    let script = "(while :; do touch \(sign); sleep 0.02; done) & sleep infinity"
    var command = BoundedCommand(["sh", "-c", script], variables: [:])
    // Only the cancellation may end it, however long this test waits.
    command.timeLimit = .seconds(3_600)
    let task = Task { [command] in try await command.output() }
    while !FileManager.default.fileExists(atPath: sign) { try await Task.sleep(for: .milliseconds(10)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // A process that was in the middle of its last step may make the file once more; one that lives does so again and again.
    for _ in 0..<50 where FileManager.default.fileExists(atPath: sign) {
      try FileManager.default.removeItem(atPath: sign)
      try await Task.sleep(for: .milliseconds(200))
    }
    #expect(!FileManager.default.fileExists(atPath: sign))
  }

  @Test(
    "a file is read only if no other user may read it",
    arguments: [
      (0o600, "hunter2\n", nil), (0o400, "hunter2", nil),
      (0o640, "hunter2", "others may read"), (0o604, "hunter2", "others may read"),
      (0o600, "", "yields an empty secret"),
      (0o600, String(repeating: "hunter2", count: 10_000), "is larger than the limit of 65536 B"),
    ])
  func file(mode: Int, content: String, refused: String?) async throws {
    let name = UUID().uuidString
    let path = NSTemporaryDirectory() + name
    try Data(content.utf8).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    let folder = String(path.dropLast(name.count + 1))
    let text = "{ file = \"${FOLDER}/\(name)\" }"
    if let refused {
      let message = try await refusal(text, ["FOLDER": folder])
      #expect(message.contains(refused) && !message.contains("hunter2"))
    } else {
      #expect(try await reveal(text, ["FOLDER": folder]) == "hunter2")
      #expect(try await reveal("{ credential = \"\(name)\" }", ["CREDENTIALS_DIRECTORY": folder]) == "hunter2")
    }
  }

  @Test(
    "a missing file, or one that is not a plain file, is refused",
    arguments: [
      ("{ file = \"/tmp\" }", "\"/tmp\" is not a plain file"),
      ("{ file = \"no-such-file\" }", "\"/tmp/no-such-file\" cannot be read: No such file or directory"),
      ("{ credential = \"x\" }", "the environment has no variable \"CREDENTIALS_DIRECTORY\""),
    ])
  func noFile(text: String, expected: String) async throws {
    #expect(try await refusal(text) == expected)
  }

  @Test("a missing keyring is an error and causes no wait")
  func keyring() async throws {
    #expect(try await refusal("{ keyring = \"no such entry\" }").contains("secret-tool"))
  }

  @Test(
    "an invalid reference is refused with its position",
    arguments: [
      ("{}", "1:12"), ("{ env = \"A\", file = \"b\" }", "1:12"), ("{ env = 1 }", "1:20"), ("{ env = \"\" }", "1:20"),
      ("{ credential = \"../x\" }", "1:27"), ("{ keyring = \"-x\" }", "1:24"), ("{ command = [] }", "1:24"),
      ("{ command = [\"\"] }", "1:24"), ("{ command = [\"a\", 1] }", "1:30"), ("1", "1:12"), ("[]", "1:12"),
    ])
  func wrongReferences(text: String, place: String) {
    let error = #expect(throws: SettingsError.self) { try secret(text) }
    #expect(error?.description.hasPrefix("f:\(place): ") == true)
  }
}
