import Foundation
import GitHubEmulator
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

@testable import CloudGitHub

/// A user who reads what is shown, and answers no question.
private final class Reader: Conversation {
  private let held = Mutex<[String]>([])
  var texts: [String] { held.withLock { $0 } }
  func tell(_ text: String) { held.withLock { $0.append(text) } }
  func ask(_ question: String) throws(SyncError) -> String { throw SyncError(.unauthorized, "no terminal") }
}

/// A clock that only pauses move; `act` runs at each pause.
private final class Pauses: Sendable {
  private let held = Mutex<(pauses: [Duration], now: Int64)>(([], 1_000_000))
  private let act: @Sendable (Int) async throws -> Void

  init(_ act: @escaping @Sendable (Int) async throws -> Void) { self.act = act }

  var seconds: [Int64] { held.withLock { $0.pauses.map { $0.components.seconds } } }

  var runtime: Runtime {
    Runtime(
      now: { Timestamp(seconds: self.held.withLock { $0.now }) }, random: Runtime.real.random,
      sleep: { duration in
        let count = self.held.withLock { held in
          held.pauses.append(duration)
          held.now += duration.components.seconds
          return held.pauses.count
        }
        try await self.act(count)
      })
  }
}

@Suite("Signing in to GitHub")
struct SignInTests {
  private func github() async throws -> TestGitHub { try await TestGitHub(expires: false) }

  private func signIn(
    _ github: TestGitHub, _ reader: Reader = Reader(), at repository: String = "owner/notes",
    change: @escaping (inout GitHub.Settings) -> Void = { _ in },
    pause: @escaping @Sendable (Int) async throws -> Void
  ) async throws -> (signIn: SignIn, pauses: [Int64]) {
    let pauses = Pauses(pause)
    let plugin = github.plugin(repository) { settings in
      settings.clientId = "app"
      settings.tokenCommand = ["keep"]
      change(&settings)
    }
    return (try await plugin.signIn(reader, pauses.runtime), pauses.seconds)
  }

  @Test("the user enters a code, and the token that GitHub grants then works", arguments: ["", "/api/v3"])
  func granted(prefix: String) async throws {
    let github = try await github()
    let reader = Reader()
    let (signIn, pauses) = try await signIn(
      github, reader, change: { $0.apiUrl = URLText(github.url + prefix) },
      pause: { count in
        if count == 3 { try await github.emulator.control(#"{"op": "device", "state": "granted"}"#) }
      })
    #expect(pauses == [5, 5, 5] && signIn.account == "owner" && signIn.keeping == .command(["keep"]))
    #expect(
      reader.texts == [
        "Open this address in any browser and enter the code ABCD-1234:\n\n  \(github.url)/login/device\n"
      ])
    let token = try await signIn.secret.reveal()
    #expect(!token.isEmpty && token != TestGitHub.token)
    let storage = try await github.storage("owner/notes") { $0.token = Secret(token) }
    #expect(try await storage.names() == ["README.org"])
  }

  @Test("GitHub decides how often it is asked")
  func slower() async throws {
    let github = try await github()
    let (_, pauses) = try await signIn(
      github,
      pause: { count in
        let state = count == 1 ? "slow" : count == 2 ? "pending" : "granted"
        try await github.emulator.control(#"{"op": "device", "state": "\#(state)"}"#)
      })
    #expect(pauses == [5, 10, 10])
  }

  @Test(
    "a refusal and an expired code end the sign-in",
    arguments: [
      ("denied", SyncError.Code.unauthorized, "cancelled in the browser"), ("expired", .timedOut, "has expired"),
    ])
  func refused(state: String, code: SyncError.Code, text: String) async throws {
    let github = try await github()
    let error = await #expect(throws: SyncError.self) {
      _ = try await signIn(
        github, pause: { _ in try await github.emulator.control(#"{"op": "device", "state": "\#(state)"}"#) })
    }
    #expect(error?.code == code && error?.message.contains(text) == true, "\(error?.message ?? "")")
  }

  @Test("a code that no one enters ends the sign-in after its life")
  func abandoned() async throws {
    let github = try await github()
    let error = await #expect(throws: SyncError.self) { _ = try await signIn(github, pause: { _ in }) }
    #expect(error?.code == .timedOut)
  }

  @Test("tokens that expire are refused, because syncd could not renew them")
  func expiring() async throws {
    let github = try await TestGitHub()
    let error = await #expect(throws: SyncError.self) {
      _ = try await signIn(
        github, pause: { _ in try await github.emulator.control(#"{"op": "device", "state": "granted"}"#) })
    }
    #expect(error?.message.contains("switch off the expiration") == true, "\(error?.message ?? "")")
  }

  @Test("an app that cannot see the repository is signed in, and the user reads what to do")
  func notInstalled() async throws {
    let github = try await github()
    let reader = Reader()
    _ = try await signIn(
      github, reader, at: "owner/elsewhere",
      pause: { _ in try await github.emulator.control(#"{"op": "device", "state": "granted"}"#) })
    #expect(reader.texts.count == 2 && reader.texts.last?.contains("install it on this repository") == true)
  }

  @Test("nothing is requested if the token cannot be stored, or no app is named")
  func nowhere() async throws {
    let github = try await github()
    for change: (inout GitHub.Settings) -> Void in [{ $0.tokenCommand = [] }, { $0.clientId = nil }] {
      let reader = Reader()
      let error = await #expect(throws: SyncError.self) {
        _ = try await signIn(github, reader, change: change) { _ in }
      }
      #expect(error?.code == .invalidSettings && reader.texts.isEmpty)
    }
  }

  @Test("the program stores the token in a file that only its owner can read, and uses it")
  func program() async throws {
    let setup = try await ProgramSetup(github: github())
    try setup.remove("token")
    try setup.configure("client-id = \"app\"")
    let before = try await setup.syncd("--once")
    #expect(before.status == 11 && before.text.contains("syncd login notes"), "\(before.story)")
    async let login = setup.syncd("login", "notes")
    for _ in 0..<2_400 where await !setup.github.emulator.isAsked { try await Task.sleep(for: .milliseconds(50)) }
    try await setup.github.emulator.control(#"{"op": "device", "state": "granted"}"#)
    let outcome = try await login
    #expect(outcome.status == 0 && outcome.text.contains("signed in to notes as owner"), "\(outcome.story)")
    #expect(outcome.story.contains("enter the code ABCD-1234"))
    let file = setup.scratch.path + "/token"
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    let token = try #require(setup.read("token")).trimmingCharacters(in: .newlines)
    #expect(!token.isEmpty && !outcome.story.contains(token))
    let after = try await setup.syncd("--once")
    #expect(after.status == 0, "\(after.story)")
    try await setup.github.emulator.control(#"{"op": "revoke"}"#)
    let revoked = try await setup.syncd("--once")
    #expect(revoked.status == 11 && revoked.text.contains("run `syncd login notes`"), "\(revoked.story)")
  }
}
