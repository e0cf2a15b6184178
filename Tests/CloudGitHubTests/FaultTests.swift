import Foundation
import GitHubEmulator
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

@testable import CloudGitHub

/// A pass with one failure, at every possible place: nothing is lost, and the next calm run recovers.
@Suite("GitHub and Forgejo over a bad network")
struct FaultTests {
  /// The normal run tries every Nth request.
  private static let stride = isSoak ? 1 : 7

  @Test("a pass survives lost connections", arguments: FaultyProxy.breaks.indices, Emulator.Kind.allCases)
  func brokenConnections(way: Int, kind: Emulator.Kind) async throws {
    let github = try await TestGitHub(kind)
    #expect(try await github.sweepBreaks(kind: way, at: "^(GET|POST|PATCH) /", by: Self.stride) > 0)
  }

  private static func routes(_ kind: Emulator.Kind) -> [String] {
    let reading = [kind.asking, "GET /git/commits/:sha", "GET /git/trees/:sha", "GET /git/blobs/:sha"]
    switch kind {
    case .github: return reading + ["POST /git/trees", "POST /git/commits", kind.writing, "GET /compare/:range"]
    case .forgejo: return reading + ["GET /commits", kind.writing]
    }
  }

  private static let answers = [
    #""body": "<html>Sign in to the hotel</html>""#, #""body": """#, #""body": "{\"sha\": \"12""#,
    #""body": "null""#, #""body": "[1, 2]""#, #""body": "{\"object\": {}}""#,
    #""body": "{\"sha\": \"0000000000000000000000000000000000000001\", \"tree\": [], \"truncated\": false}""#,
    #""status": 400"#, #""status": 403"#, #""status": 404"#, #""status": 409"#, #""status": 422"#, #""status": 500"#,
    #""status": 503"#, #""drop": "before""#, #""drop": "after""#, #""spoil": true"#,
    #""status": 429, "retry_after": 1"#, #""status": 403, "retry_after": 1, "count": 2"#,
    #""status": 403, "remaining": 0, "reset": 0"#, #""status": 429, "retry_after": 0, "count": 40"#,
    #""status": 503, "count": 40"#, #""status": 404, "count": 40"#, #""status": 413"#, #""status": 500, "count": 40"#,
    #""body": "{\"files\": [], \"commit\": {\"sha\": \"0000000000000000000000000000000000000001\"}}""#,
  ]

  @Test(
    "a pass survives invalid, damaged, late and lost responses to any call", arguments: answers,
    Emulator.Kind.allCases)
  func falseAnswers(how: String, kind: Emulator.Kind) async throws {
    let github = try await TestGitHub(kind)
    let shift = (Self.answers.firstIndex(of: how) ?? 0) % 2
    let routes = Self.routes(kind).enumerated().filter { index, _ in isSoak || index % 2 == shift }.map(\.element)
    try await github.requireRecovery(from: how, of: routes)
  }

  @Test(
    "each error has the right code",
    arguments: [
      (#""body": "<html></html>""#, SyncError.Code.unavailable), (#""status": 503"#, .unavailable),
      (#""status": 403, "message": "Resource not accessible by personal access token""#, .unauthorized),
      (#""status": 401"#, .unauthorized), (#""status": 403, "retry_after": 99999999"#, .unavailable),
      (#""status": 403, "remaining": 0, "reset": 9999999999"#, .unavailable), (#""drop": "before""#, .unavailable),
      (#""status": 403, "message": "You have exceeded a secondary rate limit.""#, .unavailable),
      (
        #""body": "{\"ref\": \"refs/heads/other\", \"object\": {\"type\": \"commit\", \"sha\": \"1111111111111111111111111111111111111111\"}}""#,
        .unavailable
      ),
    ])
  func classOfError(how: String, code: SyncError.Code) async throws {
    let github = try await TestGitHub()
    let storage = try await github.storage("owner/notes")
    try await github.emulator.control(
      #"{"op": "fail", "count": 1000, "route": "GET /git/ref/:ref", \#(how)}"#)
    let error = await #expect(throws: SyncError.self) { _ = try await storage.list(since: Known()) }
    #expect(error?.code == code, "\(how): \(error?.message ?? "")")
  }

  @Test("nothing is sent while a long limit lasts, and the time of its end is said")
  func longLimit() async throws {
    let github = try await TestGitHub()
    let clock = Clock()
    let runtime = Runtime(now: { clock.now }, random: Runtime.real.random, sleep: { _ in })
    let storage = try await github.storage("owner/notes", runtime: runtime)
    #expect(try await storage.names() == ["README.org"])
    try await github.emulator.control(
      #"{"op": "fail", "route": "GET /git/ref/:ref", "status": 403, "retry_after": 600}"#)
    let error = await #expect(throws: SyncError.self) { _ = try await storage.list(since: Known()) }
    #expect(error?.message.contains("in 10 minutes") == true, "\(error?.message ?? "")")
    try await github.emulator.control(#"{"op": "recount"}"#)
    clock.advance(by: 599)
    await #expect(throws: SyncError.self) { _ = try await storage.list(since: Known()) }
    #expect(await github.emulator.calls().isEmpty)
    clock.advance(by: 2)
    #expect(try await storage.names() == ["README.org"])
  }

  @Test("a repository that the token may not see is named, with what to check", arguments: Emulator.Kind.allCases)
  func hidden(kind: Emulator.Kind) async throws {
    let github = try await TestGitHub.shared(kind)
    let storage = try await github.storage("owner/nothing")
    let error = await #expect(throws: SyncError.self) { _ = try await storage.list(since: Known()) }
    #expect(error?.code == .unauthorized && error?.message.contains("owner/nothing") == true)
  }

  @Test("a revoked token ends the pass as unauthorized", arguments: Emulator.Kind.allCases)
  func revoked(kind: Emulator.Kind) async throws {
    let github = try await TestGitHub(kind)
    let storage = try await github.storage("owner/notes")
    #expect(try await storage.names() == ["README.org"])
    try await github.emulator.control(#"{"op": "revoke"}"#)
    let error = await #expect(throws: SyncError.self) { _ = try await storage.list(since: Known()) }
    #expect(error?.code == .unauthorized && error?.message.contains(TestGitHub.token) == false)
  }
}

/// A clock that a test advances.
private final class Clock: Sendable {
  private let seconds = Mutex<Int64>(1_800_000_000)

  var now: Timestamp { Timestamp(seconds: seconds.withLock { $0 }) }

  func advance(by count: Int64) { seconds.withLock { $0 += count } }
}
