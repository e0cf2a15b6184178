import Foundation
import OrgKit
import ProgramTesting
import SyncKit
import Testing

@testable import Hub

/// The hub is killed at each step of a batch; the client sends it again, and it has one effect.
@Suite("Crashes of the hub", .serialized) struct HubCrashTests {
  private static let points = [
    "hub.batch.applied", "hub.batch.intended", "entries.intent.written", "entries.file.written",
    "entries.file.written=kill@nth(2)", "entries.edit.recorded", "entries.intent.removed",
    "hub.batch.written", "hub.batch.recorded",
  ]

  @Test("a killed batch that adds, moves and repeats has one effect", arguments: points, HubWay.allCases)
  func killed(point: String, way: HubWay) async throws {
    let program = try HubProgram(
      ["a.org": "* TODO Water\nSCHEDULED: <2030-01-01 Tue +1w>\n* Move\ntext\n", "b.org": "* Target\n"],
      remote: false, hub: way == .service ? "listen = 0" : nil)
    let token = try await program.token("phone")
    let patches = """
      {"op": "add", "fields": {"title": {"new": "Milk"}}},
      {"op": "edit", "id": "\(try Self.id("a.org", ["Water"]))", "fields": {"todo": {"old": "TODO", "new": "DONE"}}},
      {"op": "move", "id": "\(try Self.id("a.org", ["Move"]))", "to": "\(try Self.id("b.org", ["Target"]))"}
      """
    let plan = point.contains("=") ? point : point + "=kill@first"
    let killed = try await program.start(way, plan)
    let lost = try? await killed.batch(1, client: "client-1", patches, token: token)
    #expect(lost == nil, "the hub was not killed at \(point): \(String(describing: lost))")
    try await killed.ended()
    let hub = try await program.start(way)
    let answer = try await hub.batch(1, client: "client-1", patches, token: token)
    #expect(answer.status == 200, "\(answer)")
    #expect(try await hub.batch(1, client: "client-1", patches, token: token).json == answer.json)
    let (a, b, inbox) = (program.text("org/a.org"), program.text("org/b.org"), program.text("org/inbox.org"))
    #expect(inbox.components(separatedBy: "* Milk\n").count == 2, "\(inbox)")
    #expect(a.contains("SCHEDULED: <2030-01-08 Tue +1w>"), "\(a)")
    #expect(!a.contains("Move") && b == "* Target\n** Move\ntext\n", "\(a)\(b)")
    try await hub.stop()
  }

  private static func id(_ file: String, _ path: [String]) throws -> String {
    let text = path.enumerated().map { String(repeating: "*", count: $0 + 1) + " " + $1 }.joined(separator: "\n")
    return try #require(HubFile(file, Array((text + "\n").utf8), [:]).ids.last)
  }

  @Test(
    "several devices, a remote and commands edit at once; nothing that was acknowledged is lost or doubled",
    arguments: HubWay.allCases)
  func together(way: HubWay) async throws {
    let program = try HubProgram(
      ["a.org": "* Target\n", "b.org": "* There\n"], hub: way == .service ? "listen = 0" : nil)
    let hub = try await program.start(way)
    let devices = 3
    let batches = 6
    let acknowledged = try await withThrowingTaskGroup(of: [String].self) { group in
      for index in 0..<devices {
        let token = try await program.token("device\(index)")
        group.addTask { try await Self.edit(hub, index, batches, token) }
      }
      group.addTask {
        for number in 0..<4 {
          // Another machine writes into the remote, and a person uses the command line.
          try program.write("* R\(number)\n", to: "home/r\(number).org")
          let outcome = try await program.command("new", "b.org::There", "C\(number)", "--child").finish()
          guard outcome.status == 0 else { throw TestFailure(outcome.story) }
        }
        return []
      }
      var all: [String] = []
      for try await titles in group { all += titles }
      return all
    }
    try await hub.stop()
    try await program.succeed("--once")
    let store = try Self.titles(program.root + "/org")
    #expect(store == (try Self.titles(program.root + "/home")))
    for title in acknowledged { #expect(store[title] == 1, "\(title): \(store[title] ?? 0) times") }
    for number in 0..<4 { #expect(store["R\(number)"] == 1 && store["C\(number)"] == 1) }
    #expect(acknowledged.count == devices * batches)
  }

  /// Sends random batches of one device; returns the titles that the hub acknowledged.
  private static func edit(_ hub: ServedHub, _ device: Int, _ batches: Int, _ token: String) async throws -> [String] {
    var random = SplitMix64(state: UInt64(device))
    var entries: [(id: String, title: String)] = []
    for number in 1...batches {
      let title = "D\(device)N\(number)"
      let file = Bool.random(using: &random) ? "a.org" : "b.org"
      var patches = [#"{"op": "add", "target": "\#(ItemID.file(file))", "fields": {"title": {"new": "\#(title)"}}}"#]
      if let chosen = entries.randomElement(using: &random) {
        switch Int.random(in: 0...2, using: &random) {
        case 0: patches.append(#"{"op": "move", "id": "\#(chosen.id)", "to": "\#(ItemID.file("a.org"))"}"#)
        case 1: patches.append(#"{"op": "note", "id": "\#(chosen.id)", "text": "note \#(number)"}"#)
        default:
          patches.append(
            #"{"op": "edit", "id": "\#(chosen.id)", "fields": {"tags": {"add": ["t\#(number)"]}}}"#)
        }
      }
      let client = "client-device-\(device)"
      let answer = try await hub.batch(number, client: client, patches.joined(separator: ","), token: token)
      guard answer.status == 200, case .array(let results)? = answer.json["results"] else {
        throw TestFailure("\(answer.status) \(answer.json.line)")
      }
      for result in results where result["result"] != "applied" { throw TestFailure(answer.json.line) }
      // A lost answer is asked for again.
      let again = try await hub.batch(number, client: client, patches.joined(separator: ","), token: token)
      guard again.json == answer.json else { throw TestFailure("another answer: \(again.json.line)") }
      entries.append((try results[0]["id"].string, title))
    }
    return entries.map(\.title)
  }

  /// The numbers of headlines by their titles, in all Org files of a folder.
  private static func titles(_ folder: String) throws -> [String: Int] {
    var titles: [String: Int] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasSuffix(".org") {
      let text = FileManager.default.contents(atPath: folder + "/" + name) ?? Data()
      for item in HubFile(name, Array(text), [:]).items { titles[item.title, default: 0] += 1 }
    }
    return titles
  }
}
