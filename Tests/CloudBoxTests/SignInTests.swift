import BoxEmulator
import Foundation
import HTTPStorage
import ProgramTesting
import ServerTesting
import SettingsRegistry
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudBox

@Suite("Signing in to Box")
struct SignInTests {
  @Test("a pasted address stores the tokens in a file that only its owner can read")
  func pastedAddress() async throws {
    let box = try await TestBox()
    try await box.emulator.createFolder("/notes")
    let sandbox = try BoxSandbox(box, isSignedIn: false)
    let before = try await sandbox.run()
    #expect(before.status == 11 && before.text.contains("syncd login home"), "\(before.text)")
    let login = try await sandbox.signIn()
    #expect(login.status == 0 && login.text.contains("Ada Test <ada@example.org>"), "\(login.text)")
    let facts = try FileManager.default.attributesOfItem(atPath: sandbox.tokenFile)
    #expect(facts[.posixPermissions] as? Int == 0o600)
    let after = try await sandbox.run()
    #expect(after.status == 0, "\(after.text)")
    #expect(!login.text.contains("refresh-") && !after.text.contains("access-"))
    #expect(await box.emulator.calls()["POST /oauth2/token"] == 1, "the access token of the sign-in is not used")
  }

  @Test("signing in with the browser accepts only the code with our own state")
  func browser() async throws {
    let box = try await TestBox()
    let port = try freePort()
    let sandbox = try BoxSandbox(box, settings: "redirect-port = \(port)", isSignedIn: false)
    let login = try sandbox.syncd(["login", "box"])
    let address = try await login.wait(for: /(http:\S+authorize\S+)/)
    #expect(try await Browser.open("http://127.0.0.1:\(port)/?code=stolen&state=guessed").text.contains("400"))
    let location = try #require(try await Browser.open(address).location)
    #expect(try await Browser.open(location).text.contains("You are signed in"))
    #expect(try await login.wait() == 0, "\(login.text)")
  }

  @Test("an address with another state, or with a refusal, is not accepted")
  func states() throws {
    #expect(try Box.code(in: " http://localhost/?code=a%2Bb&state=s\n", state: "s") == "a+b")
    #expect(try Box.code(in: "abc", state: "s") == "abc")
    for text in ["http://localhost/?code=a&state=t", "http://localhost/?error=access_denied&state=s"] {
      #expect(throws: SyncError.self) { try Box.code(in: text, state: "s") }
    }
  }

  @Test("tokens are stored with a command and read back with another, at the sign-in and at each rotation")
  func command() async throws {
    let box = try await TestBox()
    try await box.emulator.createFolder("/notes")
    try await box.emulator.control(#"{"op": "token_life", "seconds": 60}"#)
    let sandbox = try BoxSandbox(
      box, settings: #"token-command = ["sh", "-c", "cat > \"$HOME/kept\" && test -s \"$HOME/kept\""]"#,
      token: #"refresh-token = { command = ["sh", "-c", "cat \"$HOME/kept\""] }"#, isSignedIn: false)
    #expect(try await sandbox.signIn().status == 0)
    for _ in 0..<3 {
      let once = try await sandbox.run()
      #expect(once.status == 0, "\(once.text)")
    }
    #expect(!FileManager.default.fileExists(atPath: sandbox.tokenFile))
    #expect(await box.emulator.calls()["POST /oauth2/token", default: 0] >= 4)
  }

  @Test("settings that cannot store a new token are refused")
  func nowhere() async throws {
    let sandbox = try BoxSandbox(try await TestBox.shared.value, token: #"refresh-token = "test-refresh""#)
    let once = try await sandbox.run()
    #expect(once.status == 8 && once.text.contains("Box replaces it at every use"), "\(once.text)")
  }

  @Test("after revoked access, the run ends with exit status 11, says what to do and prints no secret")
  func revoked() async throws {
    let box = try await TestBox()
    let sandbox = try BoxSandbox(box)
    #expect(try await sandbox.run().status == 0)
    try await box.emulator.control(#"{"op": "revoke"}"#)
    let once = try await sandbox.run()
    #expect(once.status == 11 && once.text.contains("run `syncd login home`"), "\(once.text)")
    #expect(!once.text.contains("refresh-") && !once.text.contains("test-secret"))
    #expect(try await sandbox.signIn().status == 0)
    #expect(try await sandbox.run().status == 0)
  }

  @Test("an app needs no sign-in, and a wrong secret is named as such")
  func app() async throws {
    let box = try await TestBox()
    let settings = "auth = \"app\"\nsubject = \"enterprise:77\""
    let sandbox = try BoxSandbox(box, settings: settings, token: "", isSignedIn: false)
    #expect(try await sandbox.run().status == 0)
    let login = try await sandbox.run(["login", "home"])
    #expect(login.status == 8 && login.text.contains("needs no sign-in"), "\(login.text)")
    let storage = try await box.storage("") { $0.clientSecret = Secret("wrong") }
    let error = await #expect(throws: SyncError.self) { _ = try await storage.list(since: Known()) }
    #expect(error?.code == .unauthorized && error?.message.contains("client-secret") == true)
  }

  @Test("an expired token is renewed once for all concurrent calls")
  func expiry() async throws {
    let box = try await TestBox()
    let storage = try await box.storage("/top")
    try await storage.createRoot()
    for number in 0..<20 { try await box.emulator.put("* \(number)\n", at: "/top/\(number).org") }
    _ = try await storage.names()
    try await box.emulator.control(#"{"op": "expire_tokens"}"#)
    try await box.emulator.control(#"{"op": "recount"}"#)
    let paths = try (0..<20).map { try syncPath("\($0).org") }
    let results = try await storage.read(paths, into: MemoryContents().intake(keepingAtMost: .max))
    for result in results { if case .read = result { continue } else { Issue.record("\(result)") } }
    #expect(results.count == 20)
    #expect(await box.emulator.calls()["POST /oauth2/token"] == 1)
  }
}

@Suite("Tokens that work once")
struct RotationTests {
  private static func stored(_ sandbox: BoxSandbox) throws -> TokenPair {
    try #require(TokenPair(try String(contentsOfFile: sandbox.tokenFile, encoding: .utf8)))
  }

  /// A storage of a user whose tokens are in the file.
  private func storage(_ box: TestBox, _ file: String) async throws -> any Storage {
    try await box.storage("") {
      $0.auth = .user
      $0.refreshToken = Secret(file: file)
    }
  }

  @Test("each process uses the tokens that the one before has stored, and renews those that expire soon")
  func processes() async throws {
    let box = try await TestBox()
    let sandbox = try BoxSandbox(box)
    for _ in 0..<3 { #expect(try await sandbox.run().status == 0) }
    #expect(await box.emulator.calls()["POST /oauth2/token"] == 1)
    try await box.emulator.control(#"{"op": "expire_tokens"}"#)
    try await box.emulator.control(#"{"op": "token_life", "seconds": 600}"#)
    let old = try Self.stored(sandbox)
    #expect(try await sandbox.run().status == 0)
    let new = try Self.stored(sandbox)
    #expect(new.refresh != old.refresh && new.access?.text != old.access?.text)
    // 600 seconds are too few for the beginning of a pass.
    #expect(try await sandbox.run().status == 0)
    #expect(try Self.stored(sandbox).refresh != new.refresh)
  }

  @Test("of many processes at once, one renews the tokens and all use them")
  func atOnce() async throws {
    let box = try await TestBox()
    let sandbox = try BoxSandbox(box)
    let storages = try await (0..<6).asyncMap { _ in try await storage(box, sandbox.tokenFile) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for storage in storages { group.addTask { _ = try await storage.list(since: Known()) } }
      try await group.waitForAll()
    }
    #expect(await box.emulator.calls()["POST /oauth2/token"] == 1)
    try await box.emulator.control(#"{"op": "expire_tokens"}"#)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for storage in storages { group.addTask { _ = try await storage.list(since: Known()) } }
      try await group.waitForAll()
    }
    #expect(await box.emulator.calls()["POST /oauth2/token"] == 2)
  }

  @Test(
    "a kill at any point of a rotation leaves a usable sign-in, except in the instant in which only the program has the new token",
    arguments: BoxFailpoint.allCases)
  func kills(point: BoxFailpoint) async throws {
    let box = try await TestBox()
    let sandbox = try BoxSandbox(box)
    try sandbox.write("* here\n", as: "a.org")
    let killed = try await sandbox.run(failpoint: point.rawValue)
    #expect(killed.status == 128 + SIGKILL, "\(point): \(killed.text)")
    let next = try await sandbox.run()
    if point == .answerReceived {
      #expect(next.status == 11 && next.text.contains("the answer with the next token was lost"), "\(next.text)")
      #expect(try await sandbox.signIn().status == 0)
      #expect(try await sandbox.run().status == 0)
    } else {
      #expect(next.status == 0, "\(point): \(next.text)")
    }
    #expect(await box.emulator.texts(below: "/notes")["a.org"] == "* here\n")
    let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.scratch.path)
    #expect(names.filter { $0.hasPrefix("box.token") }.sorted() == ["box.token", "box.token.lock"])
  }

  @Test("an access token is used only after its pair is stored")
  func order() async throws {
    let box = try await TestBox()
    let sandbox = try BoxSandbox(box)
    // The new pair cannot be stored: its name is taken by a folder.
    try FileManager.default.createDirectory(atPath: sandbox.tokenFile + ".new", withIntermediateDirectories: true)
    let storage = try await storage(box, sandbox.tokenFile)
    let error = await #expect(throws: SyncError.self) { _ = try await storage.list(since: Known()) }
    #expect(error?.code == .unauthorized && error?.message.contains("box.token") == true)
    #expect(await box.emulator.calls() == [:], "Box was asked for tokens that cannot be stored")
    try FileManager.default.removeItem(atPath: sandbox.tokenFile + ".new")
    #expect(try await sandbox.run().status == 0)
  }

  @Test("a rotation whose request is lost is repeated, and one whose answer is lost is reported as such")
  func lostAnswers() async throws {
    let box = try await TestBox()
    let sandbox = try BoxSandbox(box)
    try await box.emulator.control(#"{"op": "fail", "route": "POST /oauth2/token", "drop": "before"}"#)
    #expect(try await sandbox.run().status == 0)
    try await box.emulator.control(#"{"op": "expire_tokens"}"#)
    try await box.emulator.control(#"{"op": "fail", "route": "POST /oauth2/token", "drop": "after"}"#)
    let once = try await sandbox.run()
    #expect(once.status == 11 && once.text.contains("Box gives each token out once"), "\(once.text)")
    #expect(once.text.contains("syncd login home"), "\(once.text)")
  }

  @Test("while Box is away, the old token lasts, and nothing is used up")
  func away() async throws {
    let box = try await TestBox()
    let sandbox = try BoxSandbox(box)
    try await box.emulator.control(#"{"op": "token_life", "seconds": 600}"#)
    #expect(try await sandbox.run().status == 0)
    let old = try Self.stored(sandbox)
    try await box.emulator.control(
      #"{"op": "fail", "route": "POST /oauth2/token", "status": 503, "count": 3}"#)
    #expect(try await sandbox.run().status == 0)
    #expect(try Self.stored(sandbox).refresh == old.refresh)
    #expect(try await sandbox.run().status == 0)
    #expect(try Self.stored(sandbox).refresh != old.refresh)
  }

  @Test("what a killed process has left is used only instead of the tokens that it replaces")
  func leftovers() async throws {
    let box = try await TestBox()
    let sandbox = try BoxSandbox(box)
    let runtime = Runtime.hurried
    let (old, new) = (TokenPair("test-refresh\n"), TokenPair("r\na\n9999999999\n"))
    let pairs = try (#require(old), #require(new))
    var file: TokenFile? = try await TokenFile(locking: sandbox.tokenFile, runtime)
    try FileManager.default.copyItem(atPath: sandbox.tokenFile, toPath: sandbox.tokenFile + ".copy")
    try file?.store(pairs.1, insteadOf: pairs.0)
    try FileManager.default.moveItem(atPath: sandbox.tokenFile, toPath: sandbox.tokenFile + ".new")
    try FileManager.default.moveItem(atPath: sandbox.tokenFile + ".copy", toPath: sandbox.tokenFile)
    #expect(try file?.recover(pairs.1) == false)
    #expect(try Self.stored(sandbox).refresh == "test-refresh")
    #expect(try file?.recover(pairs.0) == true)
    #expect(try Self.stored(sandbox).refresh == "r")
    file = nil
  }
}

extension Sequence where Element: Sendable {
  fileprivate func asyncMap<Value>(_ work: (Element) async throws -> Value) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await work(element)) }
    return values
  }
}
