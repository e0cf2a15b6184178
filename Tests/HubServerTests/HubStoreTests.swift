import CurlHTTP
import Foundation
import ProgramTesting
import SyncKit
import Testing

@testable import Hub

/// The hub of a store that is one file.
@Suite("The hub of a store in one file", .serialized) struct HubStoreTests {
  private func program(_ way: HubWay = .serve) throws -> HubProgram {
    try HubProgram(
      ["notes.org": "* Project\n** TODO Paint\nSCHEDULED: <2026-03-10 Tue>\n", "work.org": "* House\n"],
      hub: way == .service ? "listen = 0" : nil,
      isOneFile: true)
  }

  @Test(
    "entries are listed, added, edited, moved and removed by requests, and a device's edits reach the remote",
    arguments: HubWay.allCases)
  func verbs(way: HubWay) async throws {
    let program = try program(way)
    let hub = try await program.start(way)
    let token = try await program.token("phone")
    let items = try await hub.send("GET", "/api/v1/items?q=i.todo", token: token)
    guard case .array(let found)? = items.json["items"], found.count == 1 else {
      Issue.record("\(items)")
      return
    }
    let id = try found[0]["id"].string
    let agenda = try await hub.send("GET", "/api/v1/agenda?from=2026-03-10&days=1", token: token)
    #expect(agenda.status == 200 && agenda.json.line.contains("Paint"))
    let files = try await hub.send("GET", "/api/v1/files", token: token)
    #expect(files.json.line.contains("notes.org") && files.json.line.contains("work.org"), "\(files)")
    let add = #"{"op": "add", "fields": {"title": {"new": "Milk"}}}"#
    let edit =
      #"{"op": "edit", "id": "\#(id)", "fields": {"title": {"old": "Paint", "new": "Paint it"}, "todo": {"old": "TODO", "new": "DONE"}}}"#
    let answer = try await hub.batch(1, client: "client-1", "\(add), \(edit)", token: token)
    #expect(answer.status == 200, "\(answer)")
    #expect(try await program.succeed("store", "cat", "inbox.org").hasPrefix("* Milk\n"))
    #expect(try await program.succeed("store", "cat", "notes.org").contains("** DONE Paint it\n"))
    // The same batch again is answered from the record.
    let again = try await hub.batch(1, client: "client-1", "\(add), \(edit)", token: token)
    let inbox = try await program.succeed("store", "cat", "inbox.org")
    #expect(again.status == 200 && inbox.components(separatedBy: "Milk").count == 2, "\(inbox)")
    if way == .service {
      try await program.appears("* Milk", in: "home/inbox.org")
      try await program.appears("** DONE Paint it", in: "home/notes.org")
      // The first pass may still be writing the files that come later.
      try await program.appears("* House", in: "home/work.org")
      try program.write("* House\n* There\n", to: "home/work.org")
      try await program.succeed("sync")
      let there = try await hub.send("GET", "/api/v1/items?q=There", token: token)
      #expect(there.json.line.contains("\"There\""), "\(there)")
    }
    guard case .integer(let pass)? = answer.json["pass"] else {
      Issue.record("\(answer)")
      return
    }
    let undone = try await hub.send(
      "POST", "/api/v1/passes/\(pass)/undo", "{}", headers: [HTTPHeader("Authorization", "Bearer \(token)")])
    #expect(undone.status == 200, "\(undone)")
    #expect(try await program.succeed("store", "cat", "notes.org").contains("** TODO Paint\n"))
    #expect(try await hub.stop().status == 0)
  }

  @Test(
    "a batch that is killed anywhere is carried out once",
    arguments: ["entries.file.written", "sqlite.commit.changed", "sqlite.commit.finished"])
  func kills(failpoint: String) async throws {
    let program = try program()
    let token = try await program.token("phone")
    let add = #"{"op": "add", "fields": {"title": {"new": "Milk"}}}"#
    let killed = try await program.serve("\(failpoint)=kill@first")
    let body = #"{"client": "client-1", "number": 1, "patches": [\#(add)]}"#
    _ = try? await killed.send("POST", "/api/v1/batches", body, token: token)
    #expect(try await killed.ended().status == 137)
    let hub = try await program.serve()
    #expect(try await hub.batch(1, client: "client-1", add, token: token).status == 200)
    let inbox = try await program.succeed("store", "cat", "inbox.org")
    #expect(inbox.components(separatedBy: "* Milk\n").count == 2, "\(inbox)")
    #expect(try await hub.stop().status == 0)
  }
}
