import Foundation
import GRDB
import OrgKit
import ProgramTesting
import SyncDaemon
import SyncKit
import Testing
import WebPush

@testable import Hub

/// The hub's database keeps what a device may still ask for, and nothing else, however long the hub runs.
@Suite("What the hub remembers") struct TidyingTests {
  private static let day: Int64 = 86_400
  private static let start: Int64 = 1_800_000_000

  private static func time(day number: Int) -> Timestamp { Timestamp(seconds: start + Int64(number) * day) }

  private static func later(days: Int64) -> Timestamp { Timestamp(seconds: Runtime.real.now().seconds + days * day) }

  /// The number of rows of each table.
  private func rows(_ database: HubDatabase) throws -> [String: Int] {
    try database.read { db in
      let tables = try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
      return try Dictionary(
        uniqueKeysWithValues: tables.map {
          ($0, try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)") ?? 0)
        })
    }
  }

  private func carryOut(
    _ number: Int, of client: String, _ device: String, renamed: [String: String], _ database: HubDatabase,
    at now: Timestamp
  ) throws {
    let body = #"{"client": "\#(client)", "number": \#(number), "patches": [{"op": "archive", "id": "x"}]}"#
    let batch = try Batch(Array(body.utf8), at: OrgMoment(year: 2026, month: 11, day: 28))
    let change = IntendedBatch.Change(path: try #require(SyncPath("a.org")), before: nil, after: Array("* One\n".utf8))
    let number = try database.intend(batch, by: device, [change], answer: { ["batch": .integer($0)] }, at: now)
    try database.finish(number, pass: nil, answer: "{}", renamed: renamed, at: now)
  }

  @Test("after ten years of use, no table has more rows than after three")
  func years() async throws {
    let database = try HubFolder().database
    var phone = try database.add("phone", .all, from: "", at: Self.time(day: 0))
    var (number, counts) = (0, [[String: Int]]())
    for month in 1...126 {
      let now = Self.time(day: 28 * month)
      if month % 6 == 0 {
        // Every half year, a new phone takes the place of the former one.
        _ = try database.revoke(phone.device.id, at: now)
        let code = try database.pairingCode(named: nil, .all, at: now)
        phone = try #require(try database.pair(code, named: "phone", from: "", at: now))
        try database.subscribe(phone.device.id, .unused())
        number = 0
      }
      _ = try database.device(token: phone.token, from: "", at: now)
      number += 1
      let id = phone.device.id
      try carryOut(
        number, of: "client-\(id)", id, renamed: ["x\(month)": "x\(month + 1)"], database, at: now)
      try carryOutOnce(by: id, database, at: now)
      let text = PushText(id: "\(month)", title: "Dentist", body: "")
      try database.enqueue(text.bytes, topic: text.tag, until: now.seconds + 43_200, at: now)
      try database.tidy(at: now)
      if [36, 126].contains(month) { counts.append(try rows(database)) }
    }
    #expect(counts.first == counts.last)
    let last = try #require(counts.last)
    #expect(last["batch"] == 16 && last["alias"] == 15 && last["change"] == 0, "\(last)")
    #expect(last["device"] == 4 && last["push"] == 1 && last["push_message"] == 1 && last["pairing"] == 1, "\(last)")
  }

  private func carryOutOnce(by device: String, _ database: HubDatabase, at now: Timestamp) throws {
    var patch = Patch(operation: .add)
    patch.fields[.title] = Patch.Change(old: nil, new: "Milk")
    let number = try database.intend(Batch(once: patch), by: device, [], answer: { ["batch": .integer($0)] }, at: now)
    try database.finish(number, pass: nil, answer: "{}", renamed: [:], at: now)
  }

  private func add(_ title: String) -> String { #"{"op": "add", "fields": {"title": {"new": "\#(title)"}}}"# }

  private func send(_ device: TestDevice, _ number: Int, _ title: String) async -> (status: Int, json: JSON) {
    let answer = await device.send(
      "POST", "/batches", #"{"client": "client-1", "number": \#(number), "patches": [\#(add(title))]}"#)
    return (answer.status, answer.json)
  }

  @Test("for the year of its cookie, a device that sends a batch again gets the same answer")
  func away() async throws {
    let folder = try HubFolder()
    let device = try folder.device()
    let answers = [await send(device, 1, "One"), await send(device, 2, "Two")]
    try folder.database.tidy(at: Self.later(days: 366))
    #expect(await send(device, 1, "One") == answers[0] && answers[0].status == 200)
    #expect(await send(device, 2, "Two") == answers[1])
    #expect(await send(device, 1, "Other").json["type"] == "/problems/reused")
    #expect(folder.text("inbox.org")?.components(separatedBy: "* ").count == 3)
  }

  @Test("a device in use continues with its next number, and what was removed is not carried out again")
  func continued() async throws {
    let folder = try HubFolder()
    let device = try folder.device()
    for number in 1...2 { #expect(await send(device, number, "N\(number)").status == 200) }
    let last = await send(device, 3, "N3")
    _ = try folder.database.device(token: device.token, from: "127.0.0.1", at: Self.later(days: 80))
    _ = try folder.database.device(token: device.token, from: "127.0.0.1", at: Self.later(days: 160))
    // A capture is not a batch of a client that continues.
    #expect(await device.send("POST", "/capture", #"{"text": "Captured"}"#).status == 200)
    try folder.database.tidy(at: Self.later(days: 401))
    let forgotten = await send(device, 1, "N1")
    #expect(forgotten.status == 409 && forgotten.json["type"] == "/problems/gap" && forgotten.json["expected"] == 4)
    #expect(await send(device, 3, "N3") == last)
    #expect(await send(device, 3, "Other").json["type"] == "/problems/reused")
    #expect(await send(device, 5, "N5").json["expected"] == 4)
    #expect(await send(device, 4, "N4").status == 200)
    let text = try #require(folder.text("inbox.org"))
    for number in 1...4 { #expect(text.components(separatedBy: "* N\(number)\n").count == 2, "\(text)") }
  }

  @Test("the number of the last batch of all stays")
  func lastNumber() async throws {
    let folder = try HubFolder()
    let device = try folder.device()
    #expect(await device.send("POST", "/capture", #"{"text": "Captured"}"#).status == 200)
    try folder.database.tidy(at: Self.later(days: 2_000))
    #expect(try folder.database.lastBatch() == 1)
  }

  @Test("an interrupted batch stays until it is finished")
  func interrupted() async throws {
    let database = try HubFolder().database
    let body = #"{"client": "client-1", "number": 1, "patches": [\#(add("Milk"))]}"#
    let batch = try Batch(Array(body.utf8), at: OrgMoment(year: 2026, month: 11, day: 28))
    let change = IntendedBatch.Change(path: try #require(SyncPath("a.org")), before: nil, after: Array("* Two\n".utf8))
    _ = try database.intend(batch, by: "d", [change], answer: { ["batch": .integer($0)] }, at: Self.time(day: 0))
    try carryOut(1, of: "client-2", "d", renamed: [:], database, at: Self.time(day: 0))
    try database.tidy(at: Self.time(day: 2_000))
    #expect(try database.intended().first?.changes.count == 1)
  }

  @Test("a revoked device gets no reminders at once, hears that it was revoked for a year, and is forgotten then")
  func revoked() throws {
    let database = try HubFolder().database
    let (device, token) = try database.add("phone", .all, from: "", at: Self.time(day: 0))
    try database.subscribe(device.id, .unused())
    try database.enqueue([1], topic: "t", until: Self.time(day: 9).seconds, at: Self.time(day: 0))
    _ = try database.revoke(device.id, at: Self.time(day: 1))
    #expect(try rows(database)["push"] == 0 && rows(database)["push_message"] == 0)
    try database.tidy(at: Self.time(day: 366))
    #expect(try database.device(token: token, from: "", at: Self.time(day: 366))?.isRevoked == true)
    try database.tidy(at: Self.time(day: 401))
    #expect(try database.device(token: token, from: "", at: Self.time(day: 401)) == nil)
    #expect(try rows(database)["device"] == 0)
  }

  @Test("a device that never came back is forgotten, with where it got reminders")
  func idle() throws {
    let database = try HubFolder().database
    let (device, _) = try database.add("phone", .all, from: "", at: Self.time(day: 0))
    try database.subscribe(device.id, .unused())
    try database.tidy(at: Self.time(day: 399))
    #expect(try database.devices().count == 1 && database.hasSubscriptions())
    try database.tidy(at: Self.time(day: 401))
    #expect(try database.devices().isEmpty && rows(database)["push"] == 0)
  }

  @Test("the former identifier of an entry leads to it for the year of a cookie")
  func renamed() throws {
    let database = try HubFolder().database
    try carryOut(1, of: "client-1", "d", renamed: ["xa": "xb"], database, at: Self.time(day: 0))
    try carryOut(2, of: "client-1", "d", renamed: ["xb": "xc"], database, at: Self.time(day: 300))
    try database.tidy(at: Self.time(day: 399))
    #expect(try database.newer("xa") == "xc")
    try database.tidy(at: Self.time(day: 401))
    #expect(try database.newer("xa") == nil && database.newer("xb") == "xc")
  }

  @Test("a database of the former version keeps its identifiers, and finds interrupted batches by an index")
  func migrated() throws {
    let folder = try HubFolder()
    try carryOut(1, of: "client-1", "d", renamed: ["xa": "xb"], folder.database, at: Self.time(day: 0))
    try folder.database.write { db in
      try db.execute(
        sql: """
          DROP INDEX unfinished; ALTER TABLE alias DROP COLUMN at; ALTER TABLE pairing DROP COLUMN maker;
          PRAGMA user_version = 2
          """)
    }
    let database = try HubDatabase(in: folder.scratch.path + "/state")
    try database.tidy(at: Self.time(day: 399))
    #expect(try database.newer("xa") == "xb")
    let plan = try database.read { db in
      try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN SELECT number FROM batch WHERE NOT isDone ORDER BY number")
        .map { $0["detail"] as String }
    }
    #expect(plan.allSatisfy { $0.contains("unfinished") } && plan.count == 1, "\(plan)")
    try database.tidy(at: Self.time(day: 401))
    #expect(try database.newer("xa") == nil)
  }
}
