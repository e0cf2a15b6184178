import Foundation
import OrgKit
import ProgramTesting
import SyncDaemon
import SyncKit
import Testing

@testable import Hub

/// Batches are numbered, carried out once, and complete or not at all.
@Suite("Batches") struct BatchTests {
  private static let add = #"{"op": "add", "fields": {"title": {"new": "Milk"}}}"#

  private func send(_ device: TestDevice, _ number: Int, _ patches: String = add, client: String = "client-1") async
    -> (
      Int, JSON
    )
  {
    let answer = await device.send(
      "POST", "/batches", #"{"client": "\#(client)", "number": \#(number), "patches": [\#(patches)]}"#)
    return (answer.status, answer.json)
  }

  private func count(_ word: String, in folder: HubFolder) -> Int {
    (folder.text("inbox.org") ?? "").components(separatedBy: "* \(word)\n").count - 1
  }

  @Test("a batch that is sent again has the same answer and no second effect")
  func again() async throws {
    let device = try HubFolder().device()
    let first = await send(device, 1)
    #expect(first.0 == 200, "\(first.1.line)")
    let second = await send(device, 1)
    #expect(second == first)
    #expect(count("Milk", in: device.folder) == 1)
  }

  @Test("a gap, another batch under a used number, and the client of another device are refused")
  func numbers() async throws {
    let device = try HubFolder().device()
    let gap = await send(device, 2)
    #expect(gap.0 == 409 && gap.1["type"] == "/problems/gap" && gap.1["expected"] == 1)
    #expect(await send(device, 1).0 == 200)
    #expect(
      await send(device, 1, #"{"op": "add", "fields": {"title": {"new": "Other"}}}"#).1["type"] == "/problems/reused")
    #expect(await send(device, 3).1["expected"] == 2)
    let laptop = try device.folder.device("laptop")
    #expect(await send(device, 2).0 == 200)
    #expect(await send(laptop, 3).0 == 422)
    #expect(await send(laptop, 1, client: "client-2").0 == 200)
    #expect(count("Milk", in: device.folder) == 3)
  }

  @Test("a browser that is paired again, and so is another device, continues with its client")
  func pairedAgain() async throws {
    let device = try HubFolder().device()
    #expect(await send(device, 1).0 == 200)
    let later = Timestamp(seconds: Runtime.real.now().seconds + 60)
    let (again, token) = try device.folder.database.add("phone", .all, from: "127.0.0.1", at: later)
    let browser = TestDevice(device.folder, again, token)
    #expect(await send(browser, 1).0 == 200)
    #expect(await send(browser, 2).0 == 200)
    #expect(count("Milk", in: device.folder) == 2)
  }

  @Test("batches that arrive at once are carried out one after the other")
  func together() async throws {
    let folder = try HubFolder()
    let devices = try (0..<6).map { try folder.device("d\($0)") }
    await withTaskGroup(of: Void.self) { group in
      for (index, device) in devices.enumerated() {
        group.addTask {
          for number in 1...4 {
            let answer = await send(
              device, number, #"{"op": "add", "fields": {"title": {"new": "D\#(index)N\#(number)"}}}"#,
              client: "client-\(index)")
            #expect(answer.0 == 200, "\(answer.1.line)")
          }
        }
      }
    }
    for index in 0..<6 { for number in 1...4 { #expect(count("D\(index)N\(number)", in: folder) == 1) } }
  }

  @Test("each batch is a pass with the device's name, and other clients hear of it")
  func announced() async throws {
    let folder = try HubFolder()
    let (phone, laptop) = (try folder.device(), try folder.device("laptop"))
    guard case .events(let subscription) = await laptop.send("GET", "/events").response.body else { return }
    let answer = await send(phone, 1)
    guard case .integer(let pass)? = answer.1["pass"] else {
      Issue.record("\(answer.1.line)")
      return
    }
    #expect(pass > 0)
    var events = subscription.events.makeAsyncIterator()
    #expect(await events.next()?.name == "hello")
    let event = await events.next()
    #expect(event?.name == "batch" && event?.data["files"] == ["inbox.org"] && event?.data["client"] == "client-1")
    #expect(event?.number == 1)
    subscription.end()
  }

  @Test("a file that another program changed meanwhile keeps that change")
  func overtaken() async throws {
    let device = try HubFolder(["a.org": "* One\n"]).device()
    let id = try await device.id("One")
    try device.folder.write("* One\nby Emacs\n", to: "a.org")
    let results = try await device.batch(
      1, #"{"op": "edit", "id": "\#(id)", "fields": {"title": {"old": "One", "new": "Two"}}}"#)
    #expect(results[0]["result"] == "applied")
    #expect(device.folder.text("a.org") == "* Two\nby Emacs\n")
    let item = await device.send("GET", "/items/\(try results[0]["id"].string)").json
    // The revision belongs to the text that is in the file.
    #expect(item["revision"] == results[0]["item"]?["revision"])
  }

  @Test(
    "an interrupted batch is finished by what its files say: not begun, written, and edited by another program since",
    arguments: [
      ("* One\n", "* One\n", 409), ("* One\n* Milk\n", "* One\n* Milk\n", 200),
      ("* One\nby Emacs\n", "* One\nby Emacs\n* Milk\n", 200),
      ("* One\n* Milk\n* Emacs\n", "* One\n* Milk\n* Emacs\n", 200),
    ])
  func interrupted(now: String, expected: String, status: Int) async throws {
    let folder = try HubFolder(["a.org": now])
    let device = try folder.device()
    let patch = #"{"op": "add", "target": "\#(ItemID.file("a.org"))", "fields": {"title": {"new": "Milk"}}}"#
    let body = #"{"client": "client-1", "number": 1, "patches": [\#(patch)]}"#
    let batch = try Batch(Array(body.utf8), at: OrgMoment(year: 2026, month: 11, day: 28))
    let path = try #require(SyncPath("a.org"))
    let change = IntendedBatch.Change(
      path: path, before: Array("* One\n".utf8), after: Array("* One\n* Milk\n".utf8))
    _ = try folder.database.intend(
      batch, by: device.device.id, [change], answer: { ["batch": .integer($0), "pass": 1, "results": []] },
      at: Runtime.real.now())
    // The next number is only right if the first batch counts.
    let next = await send(device, 2, #"{"op": "note", "id": "none", "text": "x"}"#)
    #expect(next.0 == status, "\(next.1.line)")
    #expect(folder.text("a.org") == expected)
    #expect(await send(device, 1, patch).0 == 200)
    #expect(folder.text("a.org") == (status == 409 ? "* One\n* Milk\n" : expected))
  }

  @Test("of a batch in two files that was interrupted between them, the rest is written")
  func between() async throws {
    let folder = try HubFolder(["a.org": "* One\n* Two\n", "b.org": "* Three\n* Two\n"])
    let device = try folder.device()
    let body = #"{"client": "client-1", "number": 1, "patches": [{"op": "archive", "id": "x"}]}"#
    let changes = try [("b.org", "* Three\n", "* Three\n* Two\n"), ("a.org", "* One\n* Two\n", "* One\n")].map {
      IntendedBatch.Change(
        path: try #require(SyncPath($0.0)), before: Array($0.1.utf8), after: Array($0.2.utf8))
    }
    _ = try folder.database.intend(
      try Batch(Array(body.utf8), at: OrgMoment(year: 2026, month: 11, day: 28)), by: device.device.id, changes,
      answer: { ["batch": .integer($0), "pass": 1, "results": []] }, at: Runtime.real.now())
    try await Workspace.with(folder.configuration, .exclusive) { try await folder.hub.recover(in: $0) }
    #expect(folder.text("a.org") == "* One\n" && folder.text("b.org") == "* Three\n* Two\n")
    #expect(try folder.database.intended().isEmpty)
  }

  @Test(
    "an entry that an interrupted batch moves stays where it was if the other file cannot take it",
    arguments: [nil, "* Something else\n", "* Four\n* Five\n"])
  func without(target: String?) async throws {
    let folder = try HubFolder(["a.org": "* One\n* Two\n"])
    if let target { try folder.write(target, to: "b.org") }
    let device = try folder.device()
    let body = #"{"client": "client-1", "number": 1, "patches": [{"op": "archive", "id": "x"}]}"#
    let changes = try [("b.org", "* Three\n", "* Three\n* Two\n"), ("a.org", "* One\n* Two\n", "* One\n")].map {
      IntendedBatch.Change(
        path: try #require(SyncPath($0.0)), before: Array($0.1.utf8), after: Array($0.2.utf8))
    }
    _ = try folder.database.intend(
      try Batch(Array(body.utf8), at: OrgMoment(year: 2026, month: 11, day: 28)), by: device.device.id, changes,
      answer: { ["batch": .integer($0), "pass": 1, "results": []] }, at: Runtime.real.now())
    try await Workspace.with(folder.configuration, .exclusive) { try await folder.hub.recover(in: $0) }
    let texts = ["a.org", "b.org"].compactMap(folder.text).joined()
    #expect(texts.contains("* Two\n"), "\(texts)")
    #expect(try folder.database.intended().isEmpty)
  }

  @Test("a batch has 500 patches at most, and a number from 1")
  func limits() async throws {
    let device = try HubFolder().device()
    let many = Array(repeating: Self.add, count: 501).joined(separator: ",")
    #expect(await send(device, 1, many).0 == 422)
    #expect(await send(device, 0).0 == 422)
    #expect(await send(device, 1, client: "short").0 == 422)
    #expect(await send(device, 1, "").0 == 422)
  }
}
