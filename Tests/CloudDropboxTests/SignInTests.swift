import DropboxEmulator
import Foundation
import HTTPStorage
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

@testable import CloudDropbox

@Suite("Signing in to Dropbox")
struct SignInTests {
  /// The text of the page that the user opens.
  private func open(_ address: String) async throws -> (text: String, location: String?) {
    let curl = try Program("/usr/bin/env", ["curl", "-s", "--noproxy", "*", "-D", "-", address])
    _ = try await curl.wait()
    let text = curl.text
    let location = try /(?i)location: (\S+)/.firstMatch(in: text).map { String($0.1) }
    return (text, location)
  }

  @Test("a pasted code stores the token in a file that only its owner can read")
  func pastedCode() async throws {
    let dropbox = try await TestDropbox()
    let sandbox = try DropboxSandbox(dropbox, isSignedIn: false)
    let before = try sandbox.syncd(["--once"])
    #expect(try await before.wait() == 11, "\(before.text)")
    #expect(before.text.contains("syncd login home"), "\(before.text)")
    let login = try sandbox.syncd(["login", "dropbox"])
    let page = try await open(try await login.wait(for: /(http:\S+authorize\S+)/))
    login.type(try String(#require(try /id=code>([^<]+)</.firstMatch(in: page.text)).1))
    #expect(try await login.wait() == 0, "\(login.text)")
    #expect(login.text.contains("Ada Test <ada@example.org>"), "\(login.text)")
    let file = sandbox.root + "/dropbox.token"
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    let token = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .newlines)
    #expect(!token.isEmpty && !login.text.contains(token))
    let after = try sandbox.syncd(["--once"])
    #expect(try await after.wait() == 0, "\(after.text)")
  }

  @Test("signing in with the browser accepts only the code with our own state")
  func browser() async throws {
    let dropbox = try await TestDropbox()
    let port = try freePort()
    let sandbox = try DropboxSandbox(dropbox, settings: "redirect-port = \(port)", isSignedIn: false)
    let login = try sandbox.syncd(["login", "home"])
    let address = try await login.wait(for: /(http:\S+authorize\S+)/)
    #expect(try await open("http://127.0.0.1:\(port)/?code=stolen&state=guessed").text.contains("400"))
    let location = try #require(try await open(address).location)
    #expect(try await open(location).text.contains("You are signed in"))
    #expect(try await login.wait() == 0, "\(login.text)")
    let once = try sandbox.syncd(["--once"])
    #expect(try await once.wait() == 0, "\(once.text)")
  }

  @Test("the token is stored with a command and read back with another")
  func command() async throws {
    let dropbox = try await TestDropbox()
    let sandbox = try DropboxSandbox(
      dropbox,
      settings: #"token-command = ["sh", "-c", "cat > \"$HOME/kept\" && test -s \"$HOME/kept\""]"#,
      token: #"refresh-token = { command = ["sh", "-c", "cat \"$HOME/kept\""] }"#, isSignedIn: false)
    let login = try sandbox.syncd(["login", "home"])
    let page = try await open(try await login.wait(for: /(http:\S+authorize\S+)/))
    login.type(try String(#require(try /id=code>([^<]+)</.firstMatch(in: page.text)).1))
    #expect(try await login.wait() == 0, "\(login.text)")
    #expect(!FileManager.default.fileExists(atPath: sandbox.root + "/dropbox.token"))
    let once = try sandbox.syncd(["--once"])
    #expect(try await once.wait() == 0, "\(once.text)")
  }

  @Test("no code is requested if the token cannot be stored")
  func nowhere() async throws {
    let sandbox = try DropboxSandbox(
      try await TestDropbox.shared.value, token: #"refresh-token = "test-refresh""#, isSignedIn: false)
    let login = try sandbox.syncd(["login", "home"])
    #expect(try await login.wait() == 8, "\(login.text)")
    #expect(!login.text.contains("authorize"), "\(login.text)")
    let once = try sandbox.syncd(["--once"])
    #expect(try await once.wait() == 0, "\(once.text)")
  }

  @Test("after revoked access, the run ends with exit status 11, says what to do and prints no secret")
  func revoked() async throws {
    let dropbox = try await TestDropbox()
    let sandbox = try DropboxSandbox(dropbox)
    let good = try sandbox.syncd(["--once"])
    #expect(try await good.wait() == 0, "\(good.text)")
    try await dropbox.emulator.control(#"{"op": "revoke"}"#)
    let once = try sandbox.syncd(["--once"])
    #expect(try await once.wait() == 11, "\(once.text)")
    #expect(once.text.contains("was revoked; run `syncd login home`"), "\(once.text)")
    #expect(!once.text.contains("test-refresh"))
  }

  @Test(
    "signing in is refused for an unknown remote and for one without sign-in",
    arguments: [["login", "nobody"], ["login", "webdav"]])
  func refusals(words: [String]) async throws {
    let sandbox = try DropboxSandbox(try await TestDropbox.shared.value)
    let login = try sandbox.syncd(words)
    #expect(try await login.wait() == 2, "\(login.text)")
  }

  @Test("an expired token is renewed once for all concurrent calls")
  func expiry() async throws {
    let dropbox = try await TestDropbox()
    let storage = try await dropbox.storage("/top")
    try await storage.createRoot()
    for number in 0..<20 { try await dropbox.emulator.put("* \(number)\n", at: "/top/\(number).org") }
    _ = try await storage.names()
    try await dropbox.emulator.control(#"{"op": "expire_tokens"}"#)
    try await dropbox.emulator.control(#"{"op": "recount"}"#)
    let paths = try (0..<20).map { try syncPath("\($0).org") }
    let results = try await storage.read(paths, into: MemoryContents().intake(keepingAtMost: .max))
    #expect(results.count == 20)
    for result in results { if case .read = result { continue } else { Issue.record("\(result)") } }
    #expect(await dropbox.emulator.calls()["oauth2/token"] == 1)
  }

  @Test("a listing after revoked access fails with the remedy to sign in")
  func revokedMidway() async throws {
    let dropbox = try await TestDropbox()
    let storage = try await dropbox.storage("/top")
    try await storage.createRoot()
    try await dropbox.emulator.control(#"{"op": "revoke"}"#)
    let error = await #expect(throws: SyncError.self) { _ = try await storage.list(since: Known()) }
    #expect(error?.code == .unauthorized)
    #expect(error?.remedy == .signIn(remote: "test"))
  }
}
