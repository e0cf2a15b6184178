import DropboxEmulator
import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudDropbox

/// A pass with one failure, at every possible place: nothing is lost, and the next calm run recovers.
@Suite("Dropbox over a bad network")
struct FaultTests {
  /// The normal run tries every Nth request.
  private static let stride = isSoak ? 1 : 7

  @Test("a pass survives lost connections", arguments: FaultyProxy.breaks.indices)
  func brokenConnections(kind: Int) async throws {
    let dropbox = try await TestDropbox()
    #expect(try await dropbox.sweepBreaks(kind: kind, at: "^POST /", by: Self.stride) > 0)
  }

  private static let routes = [
    "files/list_folder/continue", "files/get_metadata", "files/download", "files/upload",
    "files/upload_session/start_batch", "files/upload_session/append_batch", "files/upload_session/finish_batch_v2",
    "files/delete_v2",
  ]

  private static let answers = [
    #""body": "<html>Sign in to the hotel</html>""#, #""body": """#, #""body": "{\"entries\": [""#,
    #""body": "null""#, #""body": "[1, 2]""#, #""status": 400, "body": "Bad request""#, #""status": 403"#,
    #""status": 404"#, #""status": 409, "body": "{}""#, #""status": 500"#, #""status": 503"#, #""drop": "before""#,
    #""drop": "after""#, #""spoil": true"#, #""status": 429"#, #""status": 429, "retry_after": -7"#,
    #""status": 429, "retry_after": 99999999"#, #""status": 429, "retry_after": "soon""#,
    #""status": 429, "json": false, "retry_after": "Wed, 21 Oct 2015 07:28:00 GMT""#,
    #""status": 429, "reason": "too_many_write_operations", "retry_after": 1, "count": 3"#,
    #""status": 429, "count": 40"#, #""status": 503, "count": 40"#,
  ]

  @Test("a pass survives invalid, damaged, late and lost responses to any call", arguments: answers)
  func falseAnswers(how: String) async throws {
    let dropbox = try await TestDropbox()
    let shift = (Self.answers.firstIndex(of: how) ?? 0) % 2
    let routes = Self.routes.enumerated().filter { index, _ in isSoak || index % 2 == shift }.map(\.element)
    try await dropbox.requireRecovery(from: how, of: routes)
  }

  @Test(
    "each error has the right code",
    arguments: [
      (#""body": "<html></html>""#, SyncError.Code.unavailable), (#""status": 503"#, .unavailable),
      (#""status": 403"#, .unauthorized), (#""status": 429, "retry_after": 99999999"#, .unavailable),
      (#""drop": "before""#, .unavailable), (#""status": 302, "body": "elsewhere""#, .unavailable),
    ])
  func classOfError(how: String, code: SyncError.Code) async throws {
    let dropbox = try await TestDropbox()
    let storage = try await dropbox.storage("")
    try await dropbox.emulator.control(#"{"op": "fail", "count": 1000, "route": "files/list_folder", \#(how)}"#)
    let error = await #expect(throws: SyncError.self) { _ = try await storage.list(since: Known()) }
    #expect(error?.code == code, "\(how): \(error?.message ?? "")")
  }

  @Test("without an available token, a new one is requested only as often as allowed")
  func noToken() async throws {
    let dropbox = try await TestDropbox()
    let storage = try await dropbox.storage("")
    try await dropbox.emulator.control(#"{"op": "fail", "count": 1000, "route": "oauth2/token", "status": 503}"#)
    let error = await #expect(throws: SyncError.self) { _ = try await storage.list(since: Known()) }
    #expect(error?.code == .unavailable)
    #expect(await dropbox.emulator.calls()["oauth2/token", default: 0] < 12)
  }
}

@Suite("Writes to Dropbox")
struct WriteTests {
  @Test("a write whose response was lost is detected as done, and another writer's file is not mistaken for ours")
  func lostAnswers() async throws {
    let dropbox = try await TestDropbox()
    let storage = try await dropbox.storage("/top")
    try await storage.createRoot()
    let lose = #"{"op": "fail", "route": "files/upload", "drop": "after"}"#
    try await dropbox.emulator.control(lose)
    let created = try await storage.put("one\n", at: "a.org")
    let entry = try #require(created.entry, "\(created)")
    try await dropbox.emulator.control(lose)
    let updated = try await storage.put("two\n", at: "a.org", if: .unchanged(entry.revision))
    #expect(updated.isDone, "\(updated)")
    try await dropbox.emulator.put("theirs\n", at: "/top/b.org")
    try await dropbox.emulator.control(#"{"op": "fail", "route": "files/upload", "drop": "before"}"#)
    guard case .refused = try await storage.put("ours\n", at: "b.org") else {
      Issue.record("another writer's file was reported as ours")
      return
    }
    #expect(await dropbox.emulator.texts(below: "/top") == ["a.org": "two\n", "b.org": "theirs\n"])
  }

  @Test("an upload that was damaged in transit is repeated")
  func damaged() async throws {
    let dropbox = try await TestDropbox()
    let storage = try await dropbox.storage("/top")
    try await storage.createRoot()
    try await dropbox.emulator.control(
      #"{"op": "fail", "route": "files/upload", "status": 409, "count": 2, "body": "{\"error_summary\": \"content_hash_mismatch/..\", \"error\": {\".tag\": \"content_hash_mismatch\"}}"}"#
    )
    #expect(try await storage.put("one\n", at: "a.org").isDone)
  }

  @Test("a large upload survives expiring tokens, lost responses and refusals")
  func session() async throws {
    let dropbox = try await TestDropbox()
    let storage = try await dropbox.storage("/top")
    try await storage.createRoot()
    let text = String(repeating: "0123456789abcdef", count: (17 << 20) / 16) + "\n"
    try await dropbox.emulator.control(
      #"{"op": "fail", "route": "files/upload_session/append_v2", "drop": "after"}"#)
    try await dropbox.emulator.control(#"{"op": "expire_tokens"}"#)
    let created = try await storage.put(text, at: "large.org")
    let entry = try #require(created.entry, "\(created)")
    #expect(entry.size == text.utf8.count)
    #expect(try await storage.text(of: "large.org") == text)
    #expect(await dropbox.emulator.calls()["files/upload"] == nil)
    try await dropbox.emulator.put("theirs\n", at: "/top/large.org")
    guard case .refused(let there?) = try await storage.put(text + "x", at: "large.org", if: .unchanged(entry.revision))
    else {
      Issue.record("a session replaced an unseen version")
      return
    }
    #expect(there.size == 7)
    #expect(await dropbox.emulator.texts(below: "/top") == ["large.org": "theirs\n"])
  }

  @Test("each file of a batch is written, even if others fail")
  func batch() async throws {
    let dropbox = try await TestDropbox()
    let storage = try await dropbox.storage("/top")
    try await storage.createRoot()
    try await dropbox.emulator.put("theirs\n", at: "/top/3.org")
    let changes = try (0..<8).map {
      Change(path: try syncPath("\($0).org"), content: Content(Array("ours \($0)\n".utf8)), condition: .absent)
    }
    for fault in ["", #""drop": "after""#, #""status": 500"#, #""status": 400"#] {
      if !fault.isEmpty {
        try await dropbox.emulator.control(
          #"{"op": "fail", "route": "files/upload_session/finish_batch_v2", \#(fault)}"#)
      }
      let results = try await storage.commit(changes)
      #expect(results.indices.filter { !results[$0].isDone } == [3], "\(fault): \(results)")
      var there = await dropbox.emulator.texts(below: "/top")
      #expect(there.removeValue(forKey: "3.org") == "theirs\n")
      #expect(there.count == 7 && there.allSatisfy { $1 == "ours \($0.prefix(1))\n" })
      for name in there.keys { try await dropbox.emulator.remove("/top/\(name)") }
    }
  }

  @Test("writing to a full Dropbox fails with a message and changes no file")
  func quota() async throws {
    let dropbox = try await TestDropbox()
    let storage = try await dropbox.storage("/top")
    try await storage.createRoot()
    try await dropbox.emulator.control(#"{"op": "quota", "bytes": 10}"#)
    guard case .failed(let error) = try await storage.put("more than ten bytes\n", at: "a.org") else {
      Issue.record("a full Dropbox accepted a write")
      return
    }
    #expect(error.code == .pathFailed && error.message.contains("full"))
  }

  @Test("a file replaces an empty folder, but not a folder with a file in it")
  func folders() async throws {
    let dropbox = try await TestDropbox()
    let storage = try await dropbox.storage("/top")
    try await storage.createRoot()
    try await dropbox.emulator.put("x\n", at: "/top/a/b/c.org")
    #expect(try await !storage.put("file\n", at: "a").isDone)
    #expect(await dropbox.emulator.texts(below: "/top") == ["a/b/c.org": "x\n"])
    try await dropbox.emulator.remove("/top/a/b/c.org")
    #expect(try await storage.put("file\n", at: "a").isDone)
    #expect(await dropbox.emulator.texts(below: "/top") == ["a": "file\n"])
  }

  @Test("after a crash, a folder that was moved aside with a file in it is restored")
  func asideFolders() async throws {
    let dropbox = try await TestDropbox()
    let journal = TestJournal()
    let storage = try await dropbox.storage("/top", journal: journal)
    try await storage.createRoot()
    // The state after a crash: the folder was moved aside, after a file was put into it.
    try await dropbox.emulator.put("late\n", at: "/top/.syncd-abc.tmp/late.org")
    journal.write(["dropbox.aside//top/.syncd-abc.tmp": Array("/top/a".utf8)])
    try await storage.recover()
    #expect(await dropbox.emulator.texts(below: "/top") == ["a/late.org": "late\n"])
    #expect(journal.records().keys.filter { $0.hasPrefix("dropbox.aside/") } == [])
  }

  @Test("a write below a folder with another letter case is reverted")
  func otherCase() async throws {
    let dropbox = try await TestDropbox()
    let storage = try await dropbox.storage("/top")
    try await storage.createRoot()
    try await dropbox.emulator.put("x\n", at: "/top/Notes/x.org")
    guard case .cannot(let reason) = try await storage.put("y\n", at: "notes/y.org") else {
      Issue.record("a file was stored under another name")
      return
    }
    #expect(reason.contains("Notes/y.org"))
    #expect(await dropbox.emulator.texts(below: "/top") == ["Notes/x.org": "x\n"])
  }

  @Test("no text whose write was reported as done is lost among concurrent writes")
  func storm() async throws {
    let dropbox = try await TestDropbox()
    let first = try await dropbox.storage("/top")
    try await first.createRoot()
    _ = try await first.put("start\n", at: "a.org")
    let accepted = try await withThrowingTaskGroup(of: [String].self) { group in
      for client in 0..<6 {
        let storage = try await dropbox.storage("/top")
        group.addTask {
          var accepted: [String] = []
          for number in 0..<8 {
            let sink = MemorySink(limit: 1 << 20)
            let path = try syncPath("a.org")
            guard case .read(let entry) = try await storage.read(file: path, into: sink) else { continue }
            let line = "client \(client) line \(number)\n"
            let content = Content(sink.bytes + Array(line.utf8))
            if try await storage.write(content, to: path, if: .unchanged(entry.revision)).isDone {
              accepted.append(line)
            }
          }
          return accepted
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let text = try #require(try await first.text(of: "a.org"))
    #expect(!accepted.isEmpty && accepted.allSatisfy(text.contains))
  }
}
