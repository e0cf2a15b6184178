import Foundation
import SyncKit
import Synchronization
import Testing

@testable import Hub

/// Answers about many entries cost what they show, not what the store has.
@Suite("Reading many entries") struct ReadingTests {
  /// Five files with thirty tasks each, of which ten are scheduled for one day.
  private func device() throws -> TestDevice {
    let files = (0..<5).map { file in
      let tasks = (0..<30).map { place in
        "* TODO Task \(file)-\(place)\n" + (place < 10 ? "SCHEDULED: <2030-03-11 Mon>\n" : "")
      }
      return ("\(file).org", tasks.joined())
    }
    return try HubFolder(Dictionary(uniqueKeysWithValues: files), isTimeless: true).device()
  }

  private func reads(_ device: TestDevice, _ path: String) async -> (reads: Int, json: JSON) {
    let counter = device.folder.hub.files
    let before = counter.reads.load(ordering: .relaxed)
    let answer = await device.send("GET", path)
    return (counter.reads.load(ordering: .relaxed) - before, answer.json)
  }

  private func titles(_ list: JSON?) -> [String] {
    guard case .array(let items)? = list else { return [] }
    return items.compactMap { try? $0["title"].string }
  }

  @Test("the agenda reads each file once, however many rows are of it")
  func agenda() async throws {
    let device = try device()
    for _ in 0..<2 {
      let (reads, json) = await reads(device, "/agenda?from=2030-03-11&days=1")
      guard case .array(let days)? = json["days"], case .array(let rows)? = days.first?["rows"] else {
        Issue.record("\(json.line)")
        return
      }
      #expect(rows.count == 50 && reads <= 5)
    }
  }

  @Test("a page reads the files of its entries only, and the pages together are all entries in order")
  func pages() async throws {
    let device = try device()
    let all = titles(await device.send("GET", "/items?limit=500").json["items"])
    #expect(all == (0..<5).flatMap { file in (0..<30).map { "Task \(file)-\($0)" } })
    var (found, next, count) = ([String](), "0", 0)
    repeat {
      let (reads, json) = await reads(device, "/items?limit=7&body=true&after=\(next)")
      #expect(reads <= 2)
      found += titles(json["items"])
      next = (try? json["next"].string) ?? ""
      count += 1
    } while !next.isEmpty
    #expect(found == all && count == 22)
  }

  @Test("the list of files reads none")
  func files() async throws {
    let device = try device()
    try device.folder.write("A text without entries.\n", to: "empty.org")
    let (reads, json) = await reads(device, "/files")
    guard case .array(let files)? = json["files"] else {
      Issue.record("\(json.line)")
      return
    }
    #expect(reads == 0 && files.count == 6)
    #expect(files[0]["path"] == "0.org" && files[0]["entries"] == 30 && files[0]["open"] == 30)
    #expect(files[5]["path"] == "empty.org" && files[5]["entries"] == 0)
  }

  @Test("of many targets, some are listed, and words find the others")
  func targets() async throws {
    let device = try device()
    func names(_ path: String) async -> ([String], JSON?) {
      let json = await device.send("GET", path).json
      guard case .array(let targets)? = json["targets"] else { return ([], nil) }
      return (targets.compactMap { try? $0["name"].string }, json["more"])
    }
    let all = await names("/targets")
    #expect(all.0.count == 155 && all.1 == false && all.0.first == "0.org" && all.0.last == "4.org/Task 4-29")
    let some = await names("/targets?limit=7")
    #expect(some.0 == Array(all.0.prefix(7)) && some.1 == true)
    #expect(await names("/targets?limit=7&q=task%203-29") == (["3.org/Task 3-29"], false))
    #expect(await device.send("GET", "/targets?limit=0").status == 422)
  }

  @Test("a file that changed is read again, also if its size and the second of its change are the same")
  func changed() async throws {
    let device = try device()
    for title in ["One", "Two", "Six"] {
      try device.folder.write("* \(title)\n", to: "a.org")
      #expect(titles(await device.send("GET", "/items?file=a.org").json["items"]) == [title])
    }
  }

  @Test("the entries of events are those with BEFORE or AFTER, of files that an index knows")
  func bundles() async throws {
    let device = try HubFolder([
      "a.org":
        "* TODO Charger\n:PROPERTIES:\n:BEFORE: work\n:END:\n* TODO Other\n* COMMENT Not\n:PROPERTIES:\n:AFTER: work\n:END:\n",
      "b.org": "* DONE Unpack\n:PROPERTIES:\n:after: the journey\n:END:\n",
    ]).device()
    let (reads, json) = await reads(device, "/bundles")
    #expect(titles(json["items"]) == ["Charger", "Unpack"] && reads <= 2)
  }

  @Test("a version of an entry is read with the task states of its file")
  func versions() async throws {
    let device = try HubFolder(["a.org": "#+TODO: TODO WAIT | DONE\n* One\n* Two\n"]).device()
    let answer = await device.send("GET", "/items/\(try await device.id("Two"))/history").json
    guard case .array(let versions)? = answer["versions"], let version = versions.first else {
      Issue.record("\(answer.line)")
      return
    }
    #expect(version["pass"] == 1 && version["item"]?["todo"] == "WAIT" && version["item"]?["title"] == "Older")
    #expect(version["item"]?["body"] == "a.org 1", "\(version.line)")
  }
}
