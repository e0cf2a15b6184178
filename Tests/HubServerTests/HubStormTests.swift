import CurlHTTP
import Foundation
import OrgKit
import ProgramTesting
import SyncKit
import Synchronization
import Testing

@testable import Hub

/// Many devices edit at once, lose answers and send again, while the service syncs and is killed, and other programs edit files.
@Suite("Many devices at once") struct HubStormTests {
  private static let devices = 20
  /// The number of patches of each device.
  private static let patches = isSoak ? 200 : 8
  /// The number of files and edits of each other program.
  private static let rounds = isSoak ? 200 : 15

  @Test(
    "20 devices, a remote, an editor, commands and a kill: nothing that was acknowledged is lost, and nothing is there twice"
  )
  func storm() async throws {
    // After the kill, devices find the hub at the same port, which no other program may get meanwhile.
    let program = try HubProgram(["a.org": "* Target\n", "b.org": "* There\n"], hub: "listen = \(try freePort())")
    let first = try await program.service()
    let seed = UInt64.random(in: 0..<1_000_000)
    let service = StormService(first.running)
    let entries = try await withThrowingTaskGroup(of: [StormDevice.Entry].self) { group in
      for index in 0..<Self.devices {
        let token = try await program.token("device\(index)")
        let device = StormDevice(hub: first, index: index, token: token, seed: seed)
        group.addTask { try await device.run(Self.patches) { service.acknowledge($0) } }
      }
      group.addTask {
        try await Self.edit(program, 0..<Self.rounds / 2)
        while service.acknowledged < Self.devices * Self.patches / 2 {
          try await Task.sleep(for: .milliseconds(20))
        }
        service.running.kill()
        _ = try await service.running.ended()
        service.running = try await program.service().running
        try await Self.edit(program, Self.rounds / 2..<Self.rounds)
        return []
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    service.running.kill(SIGTERM)
    #expect(try await service.running.ended().status == 0)
    try await program.succeed("--once")
    try check(program, entries, "seed \(seed)")
  }

  /// Another machine writes into the remote, an editor saves files, and a person uses commands.
  private static func edit(_ program: HubProgram, _ rounds: Range<Int>) async throws {
    var (here, there) = (program.text("org/editor.org"), program.text("home/remote.org"))
    for round in rounds {
      here += "* Editor\(round)\n"
      there += "* Remote\(round)\n"
      try program.write(here, to: "org/editor.org")
      try program.write(there, to: "home/remote.org")
      let outcome = try await program.command("new", "b.org::There", "Command\(round)", "--child")
        .finish()
      guard outcome.status == 0 else { throw TestFailure(outcome.story) }
    }
  }

  private func check(_ program: HubProgram, _ entries: [StormDevice.Entry], _ story: String) throws {
    let store = try program.orgFiles("org")
    #expect(store == (try program.orgFiles("home")), "\(story): the store and the remote differ")
    var titles: [String: Int] = [:]
    var lines: [Substring: Int] = [:]
    for (name, text) in store {
      for item in HubFile(name, Array(text.utf8), [:]).items { titles[item.title, default: 0] += 1 }
      for line in text.split(separator: "\n") {
        lines[line.trimmingPrefix { $0 == " " }, default: 0] += 1
      }
    }
    for entry in entries {
      #expect(
        titles[entry.title] == 1,
        "\(story): \(entry.title) is there \(titles[entry.title] ?? 0) times")
      for title in entry.formerTitles {
        #expect(titles[title] == nil, "\(story): \(title) is there again")
      }
      for note in entry.notes {
        #expect(lines[note[...]] == 1, "\(story): \(note) is there \(lines[note[...]] ?? 0) times")
      }
    }
    for round in 0..<Self.rounds {
      for title in ["Editor\(round)", "Remote\(round)", "Command\(round)"] {
        #expect(titles[title] == 1, "\(story): \(title)")
      }
    }
    #expect(
      titles.count == entries.count + 3 * Self.rounds + 2, "\(story): \(titles.keys.sorted())")
  }
}

/// The service as all see it.
private final class StormService: Sendable {
  private let state: Mutex<(running: Running, acknowledged: Int)>

  init(_ running: Running) { state = Mutex((running, 0)) }

  /// The process, which is another one after the kill.
  var running: Running {
    get { state.withLock(\.running) }
    set { state.withLock { $0.running = newValue } }
  }

  /// The number of patches that the hub has acknowledged.
  var acknowledged: Int { state.withLock(\.acknowledged) }

  func acknowledge(_ count: Int) { state.withLock { $0.acknowledged += count } }
}

/// A device that edits its own entries at random, and sends a batch again until it is answered.
private struct StormDevice {
  let hub: ServedHub
  let index: Int
  let token: String
  let seed: UInt64

  /// What the device knows about an entry: what the hub has acknowledged.
  struct Entry: Sendable {
    var id: String
    var title: String
    var formerTitles: [String] = []
    var notes: [String] = []
  }

  /// One patch, and what it means.
  private struct Edit {
    var patch: String
    var entry: Int?
    var title: String?
    var note: String?
  }

  /// Sends this number of patches. Returns the entries as they must be.
  func run(_ count: Int, _ acknowledge: (Int) -> Void) async throws -> [Entry] {
    var random = SplitMix64(state: seed &+ UInt64(index))
    var entries: [Entry] = []
    var (number, sent) = (1, 0)
    while sent < count {
      let free = entries.indices.shuffled(using: &random)
      let edits = (0..<min(count - sent, Int.random(in: 1...4, using: &random))).map { place in
        edit(
          free.indices.contains(place) ? free[place] : nil, entries, "\(number)n\(place)", &random)
      }
      let results = try await send(number, edits.map(\.patch).joined(separator: ","), &random)
      for (edit, result) in zip(edits, results) { try apply(edit, result, to: &entries) }
      acknowledge(edits.count)
      (number, sent) = (number + 1, sent + edits.count)
    }
    return entries
  }

  private func edit(_ entry: Int?, _ entries: [Entry], _ name: String, _ random: inout SplitMix64)
    -> Edit
  {
    let word = "D\(index)b\(name)"
    guard let entry, Int.random(in: 0..<3, using: &random) > 0 else {
      let file = ["a.org", "b.org"].randomElement(using: &random) ?? "a.org"
      return Edit(
        patch:
          #"{"op": "add", "target": "\#(ItemID.file(file))", "fields": {"title": {"new": "\#(word)"}}}"#,
        title: word)
    }
    let id = entries[entry].id
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      let fields = #"{"title": {"old": "\#(entries[entry].title)", "new": "\#(word)"}}"#
      return Edit(
        patch: #"{"op": "edit", "id": "\#(id)", "fields": \#(fields)}"#, entry: entry, title: word)
    case 1:
      return Edit(
        patch: #"{"op": "note", "id": "\#(id)", "text": "\#(word)"}"#, entry: entry, note: word)
    case 2:
      return Edit(
        patch: #"{"op": "edit", "id": "\#(id)", "fields": {"tags": {"add": ["t\#(index)"]}}}"#,
        entry: entry)
    default:
      let file = ["a.org", "b.org"].randomElement(using: &random) ?? "a.org"
      return Edit(
        patch: #"{"op": "move", "id": "\#(id)", "to": "\#(ItemID.file(file))"}"#, entry: entry)
    }
  }

  private func apply(_ edit: Edit, _ result: JSON, to entries: inout [Entry]) throws {
    guard ["applied", "merged", "unchanged"].contains(result["result"]),
      case .string(let id)? = result["id"]
    else {
      throw TestFailure("seed \(seed): \(edit.patch): \(result.line)")
    }
    guard let entry = edit.entry else {
      return entries.append(Entry(id: id, title: edit.title ?? ""))
    }
    entries[entry].id = id
    if let title = edit.title {
      entries[entry].formerTitles.append(entries[entry].title)
      entries[entry].title = title
    }
    if let note = edit.note { entries[entry].notes.append(note) }
  }

  /// Sends a batch, and loses some answers, until one arrives.
  private func send(_ number: Int, _ patches: String, _ random: inout SplitMix64) async throws
    -> [JSON]
  {
    let client = "client-device-\(index)"
    let body = #"{"client": "\#(client)", "number": \#(number), "patches": [\#(patches)]}"#
    if Int.random(in: 0..<3, using: &random) == 0 {
      // The connection ends at some moment, whatever has happened until then.
      _ = try? await hub.program.client.send(
        HTTPRequest(
          "POST", hub.url + "/api/v1/batches",
          headers: [
            HTTPHeader("Authorization", "Bearer \(token)"),
            HTTPHeader("Content-Type", "application/json"),
          ],
          body: HTTPBytes(body), timeout: .milliseconds(Int.random(in: 1...100, using: &random))))
    }
    for _ in 0..<9_000 {
      // While the service is down, no answer arrives.
      let answer = try? await hub.send("POST", "/api/v1/batches", body, token: token)
      if let answer, ![429, 503].contains(answer.status) {
        guard answer.status == 200, case .array(let results)? = answer.json["results"] else {
          throw TestFailure("seed \(seed): \(answer.status) \(answer.json.line)")
        }
        return results
      }
      try await Task.sleep(for: .milliseconds(100))
    }
    throw TestFailure("seed \(seed): batch \(number) of \(client) was never answered")
  }
}

extension HubProgram {
  /// The Org files of a folder with their texts.
  fileprivate func orgFiles(_ folder: String) throws -> [String: String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: root + "/" + folder).filter {
      $0.hasSuffix(".org")
    }
    return Dictionary(uniqueKeysWithValues: names.map { ($0, text(folder + "/" + $0)) })
  }
}
