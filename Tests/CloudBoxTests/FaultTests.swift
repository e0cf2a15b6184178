import BoxEmulator
import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudBox

/// A pass with one failure, at every possible place: nothing is lost, and the next calm run recovers.
@Suite("Box over a bad network")
struct FaultTests {
  /// The normal run tries every Nth request.
  private static let stride = isSoak ? 1 : 9

  @Test("a pass survives lost connections", arguments: FaultyProxy.breaks.indices)
  func brokenConnections(kind: Int) async throws {
    let box = try await TestBox()
    #expect(try await box.sweepBreaks(kind: kind, at: "^(GET|POST|DELETE) /", by: Self.stride) > 0)
  }

  private static let routes = [
    "POST /oauth2/token", "GET /events", "GET /folders/:id/items", "GET /files/:id/content", "GET /dl/:id",
    "POST /files/content", "POST /files/:id/content", "DELETE /files/:id", "POST /folders",
  ]

  private static let answers = [
    #""body": "<html>Sign in to the hotel</html>""#, #""body": """#, #""body": "{\"entries\": [""#,
    #""body": "null""#, #""body": "[1, 2]""#, #""body": "{\"entries\": null, \"next_stream_position\": 0}""#,
    #""body": "{\"entries\": [], \"next_marker\": \"x\", \"next_stream_position\": \"1\"}", "count": 3"#,
    #""body": "{\"entries\": [{\"type\": \"file\", \"id\": \"x\"}]}""#, #""status": 400"#, #""status": 403"#,
    #""status": 403, "code": "access_denied_item_locked""#, #""status": 404"#, #""status": 409"#,
    #""status": 409, "code": "name_temporarily_reserved""#, #""status": 412"#, #""status": 500"#, #""status": 503"#,
    #""status": 202, "retry_after": 1, "body": """#, #""drop": "before""#, #""drop": "after""#, #""spoil": true"#,
    #""status": 429"#, #""status": 429, "retry_after": 1"#, #""status": 429, "retry_after": "soon""#,
    #""status": 429, "retry_after": 99999999"#, #""status": 429, "json": false, "retry_after": 0, "count": 40"#,
    #""status": 503, "count": 40"#,
  ]

  @Test("a pass survives invalid, damaged, late and lost responses to any call", arguments: answers)
  func falseAnswers(how: String) async throws {
    let box = try await TestBox()
    let shift = (Self.answers.firstIndex(of: how) ?? 0) % 3
    let routes = Self.routes.enumerated().filter { index, _ in isSoak || index % 3 == shift }.map(\.element)
    try await box.requireRecovery(from: how, of: routes)
  }

  @Test(
    "each error has the right code",
    arguments: [
      (#""body": "<html></html>""#, SyncError.Code.unavailable), (#""status": 503"#, .unavailable),
      (#""status": 401"#, .unauthorized), (#""status": 403, "code": "insufficient_scope""#, .unauthorized),
      (#""status": 400, "code": "terms_of_service_required""#, .unauthorized),
      (#""status": 429, "retry_after": 99999999"#, .unavailable), (#""drop": "before""#, .unavailable),
      (#""status": 404"#, .notFound),
    ])
  func classOfError(how: String, code: SyncError.Code) async throws {
    let box = try await TestBox()
    let storage = try await box.storage("")
    try await box.emulator.control(#"{"op": "fail", "count": 1000, "route": "GET /folders/:id/items", \#(how)}"#)
    let error = await #expect(throws: SyncError.self) { _ = try await storage.list(since: Known()) }
    #expect(error?.code == code, "\(how): \(error?.message ?? "")")
  }

  @Test("a rate limit is waited for, and a long one stops all requests")
  func limits() async throws {
    let box = try await TestBox()
    let storage = try await box.storage("/top")
    try await storage.createRoot()
    try await box.emulator.control(#"{"op": "fail", "route": "POST /files/content", "status": 429, "retry_after": 1}"#)
    #expect(try await storage.put("x\n", at: "a.org").isDone)
    try await box.emulator.control(
      #"{"op": "fail", "route": "POST /files/content", "status": 429, "retry_after": 900}"#)
    #expect(try await !storage.put("x\n", at: "b.org").isDone)
    try await box.emulator.control(#"{"op": "recount"}"#)
    let error = await #expect(throws: SyncError.self) { _ = try await storage.list(since: Known()) }
    #expect(error?.message.contains("15 minutes") == true, "\(error?.message ?? "")")
    #expect(await box.emulator.calls() == [:])
  }

  // MARK: Conditions

  private func started(_ text: String = "first\n") async throws -> (TestBox, any Storage, Revision) {
    let box = try await TestBox()
    let storage = try await box.storage("/top")
    try await storage.createRoot()
    let entry = try #require(try await storage.put(text, at: "a.org").entry)
    return (box, storage, entry.revision)
  }

  @Test("a write whose answer is lost is done once, whether it arrived or not", arguments: ["before", "after"])
  func lostWrites(when: String) async throws {
    let (box, storage, revision) = try await started()
    for (route, path, condition) in [
      ("POST /files/content", "b.org", Condition.absent), ("POST /files/:id/content", "a.org", .unchanged(revision)),
    ] {
      try await box.emulator.control(#"{"op": "fail", "route": "\#(route)", "drop": "\#(when)"}"#)
      #expect(try await storage.put("ours\n", at: path, if: condition).isDone)
    }
    #expect(await box.emulator.texts(below: "/top") == ["a.org": "ours\n", "b.org": "ours\n"])
    let now = try #require(try await storage.confirm(file: try syncPath("a.org")).entry).revision
    try await box.emulator.control(#"{"op": "fail", "route": "DELETE /files/:id", "drop": "\#(when)"}"#)
    #expect(try await storage.remove(try syncPath("a.org"), if: .unchanged(now)).isDone)
    #expect(await box.emulator.texts(below: "/top") == ["b.org": "ours\n"])
  }

  @Test("another client's file that appears after a lost write is not taken for ours")
  func foreignAfterLoss() async throws {
    let (box, storage, _) = try await started()
    try await box.emulator.control(#"{"op": "fail", "route": "POST /files/content", "drop": "before"}"#)
    await box.emulator.before("POST /files/content") { try $0.put("theirs\n", at: "/top/b.org") }
    let result = try await storage.put("ours\n", at: "b.org")
    #expect(!result.isDone)
    #expect(await box.emulator.texts(below: "/top")["b.org"] == "theirs\n")
  }

  @Test("a write and a removal of an outdated version are refused")
  func outdated() async throws {
    let (box, storage, revision) = try await started()
    try await box.emulator.put("theirs\n", at: "/top/a.org")
    guard case .refused(let entry?) = try await storage.put("ours\n", at: "a.org", if: .unchanged(revision)) else {
      Issue.record("an outdated version was replaced")
      return
    }
    #expect(entry.revision != revision)
    #expect(try await !storage.remove(try syncPath("a.org"), if: .unchanged(revision)).isDone)
    #expect(await box.emulator.texts(below: "/top") == ["a.org": "theirs\n"])
  }

  @Test("a new description, or another file with the agreed content, does not prevent a change")
  func sameContent() async throws {
    let (box, storage, revision) = try await started()
    try await box.emulator.touch("/top/a.org")
    let second = try await storage.put("second\n", at: "a.org", if: .unchanged(revision))
    let entry = try #require(second.entry, "\(second)")
    try await box.emulator.remove("/top/a.org")
    try await box.emulator.put("second\n", at: "/top/a.org")
    #expect(try await storage.put("third\n", at: "a.org", if: .unchanged(entry.revision)).isDone)
    #expect(await box.emulator.texts(below: "/top") == ["a.org": "third\n"])
    let third = try #require(try await storage.confirm(file: try syncPath("a.org")).entry).revision
    try await box.emulator.touch("/top/a.org")
    #expect(try await storage.remove(try syncPath("a.org"), if: .unchanged(third)).isDone)
  }

  @Test("a file that is renamed while it is written is not written under its old name")
  func renamed() async throws {
    let (box, storage, revision) = try await started()
    await box.emulator.before("POST /files/:id/content") { try $0.move("/top/a.org", to: "/top/b.org") }
    #expect(try await !storage.put("ours\n", at: "a.org", if: .unchanged(revision)).isDone)
    #expect(await box.emulator.texts(below: "/top") == ["b.org": "first\n"])
  }

  @Test("a file that another client removes while it is written does not come back")
  func trashed() async throws {
    let (box, storage, revision) = try await started()
    await box.emulator.before("POST /files/:id/content") { try $0.remove("/top/a.org") }
    guard case .refused(nil) = try await storage.put("ours\n", at: "a.org", if: .unchanged(revision)) else {
      Issue.record("a removed file was written")
      return
    }
    #expect(await box.emulator.texts(below: "/top") == [:])
  }

  @Test("a folder that disappears while a file is written into it is created again")
  func lostFolder() async throws {
    let (box, storage, _) = try await started()
    #expect(try await storage.put("x\n", at: "d/e/x.org").isDone)
    await box.emulator.before("POST /files/content") { try $0.remove("/top/d") }
    #expect(try await storage.put("y\n", at: "d/e/y.org").isDone)
    #expect(await box.emulator.texts(below: "/top")["d/e/y.org"] == "y\n")
  }

  @Test("in a batch of 100, one conflict and a rate limit affect no other file")
  func batch() async throws {
    let box = try await TestBox()
    let storage = try await box.storage("/top")
    try await storage.createRoot()
    _ = try await storage.names()
    try await box.emulator.put("theirs\n", at: "/top/3.org")
    try await box.emulator.control(
      #"{"op": "fail", "route": "POST /files/content", "status": 429, "retry_after": 0, "count": 2}"#)
    let changes = try (0..<100).map {
      Change(path: try syncPath("\($0).org"), content: Content(Array("ours \($0)\n".utf8)), condition: .absent)
    }
    let results = try await storage.commit(changes)
    #expect(results.indices.filter { !results[$0].isDone } == [3], "\(results)")
    let there = await box.emulator.texts(below: "/top")
    #expect(there.count == 100 && there["3.org"] == "theirs\n" && there["99.org"] == "ours 99\n")
  }

  // MARK: Obstacles

  @Test("writing to a full Box fails with a message and changes no file")
  func quota() async throws {
    let (box, storage, _) = try await started()
    try await box.emulator.control(#"{"op": "quota", "bytes": 10}"#)
    guard case .failed(let error) = try await storage.put("more than ten bytes\n", at: "b.org") else {
      Issue.record("a full Box accepted a write")
      return
    }
    #expect(error.code == .pathFailed && error.message.contains("full"))
  }

  @Test("a locked file is written later")
  func locked() async throws {
    let (box, storage, revision) = try await started()
    try await box.emulator.control(
      #"{"op": "fail", "route": "POST /files/:id/content", "status": 403, "code": "access_denied_item_locked"}"#)
    guard case .postponed = try await storage.put("x\n", at: "a.org", if: .unchanged(revision)) else {
      Issue.record("a locked file is not postponed")
      return
    }
  }

  @Test("a file replaces an empty folder, but not a folder with a file in it")
  func folders() async throws {
    let (box, storage, _) = try await started()
    try await box.emulator.put("x\n", at: "/top/d/b/c.org")
    #expect(try await !storage.put("file\n", at: "d").isDone)
    #expect(await box.emulator.texts(below: "/top")["d/b/c.org"] == "x\n")
    try await box.emulator.remove("/top/d/b/c.org")
    #expect(try await storage.put("file\n", at: "d").isDone)
    #expect(await box.emulator.texts(below: "/top")["d"] == "file\n")
  }

  @Test("a file is not written below a folder with another letter case, nor beside a twin")
  func otherCase() async throws {
    let (box, storage, _) = try await started()
    try await box.emulator.put("x\n", at: "/top/Notes/x.org")
    guard case .cannot(let reason) = try await storage.put("y\n", at: "notes/y.org") else {
      Issue.record("a file was stored under another name")
      return
    }
    #expect(reason.contains("Notes"))
    guard case .cannot = try await storage.put("y\n", at: "A.ORG") else {
      Issue.record("a twin was stored")
      return
    }
    #expect(await box.emulator.texts(below: "/top") == ["Notes/x.org": "x\n", "a.org": "first\n"])
  }

  @Test("the time at which a file was written arrives")
  func modified() async throws {
    let (box, storage, _) = try await started()
    var change = Change(path: try syncPath("t.org"), content: Content([0x61]), condition: .absent)
    change.modified = Timestamp(seconds: 1_580_702_706)
    #expect(try await storage.commit(change: change).isDone)
    #expect(try await box.emulator.contentModified("/top/t.org") == "2020-02-03T04:05:06Z")
  }

  @Test("no text whose write was reported as done is lost among concurrent writes")
  func storm() async throws {
    let box = try await TestBox()
    let first = try await box.storage("/top")
    try await first.createRoot()
    _ = try await first.put("start\n", at: "a.org")
    let accepted = try await withThrowingTaskGroup(of: [String].self) { group in
      for client in 0..<6 {
        let storage = try await box.storage("/top")
        group.addTask {
          var accepted: [String] = []
          for number in 0..<8 {
            let sink = MemorySink(limit: 1 << 20)
            let path = try syncPath("a.org")
            _ = try await storage.list(since: Known())
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
    let text = await box.emulator.texts(below: "/top")["a.org"] ?? ""
    #expect(!accepted.isEmpty && accepted.allSatisfy(text.contains))
  }
}
