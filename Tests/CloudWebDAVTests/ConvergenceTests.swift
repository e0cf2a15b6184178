import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudWebDAV

@Suite("Convergence of two devices over a real WebDAV server")
struct ConvergenceTests {
  /// A line that is in no other text, or the number of a line to remove.
  private enum Edit {
    case add, replace, delete
  }

  @Test("two devices have the same files after random edits, and no line is lost", arguments: TestServer.Kind.allCases)
  func randomEdits(kind: TestServer.Kind) async throws {
    guard let server = try await TestServer.own(kind) else { return }
    defer { server.stop() }
    let seed = UInt64.random(in: 0...(.max))
    var generator = SplitMix64(state: seed)
    let place = try server.folder()
    let devices = try [server.device("one", at: place.url), server.device("two", at: place.url)]
    var lines: Set<String> = []
    for step in 0..<(isSoak ? 200 : 40) {
      let device = devices[Int.random(in: 0...1, using: &generator)]
      let path = ["a.org", "b c.org", "d/e.org", "d/f/g\u{E9}.org"].randomElement(using: &generator) ?? "a.org"
      let line = "line \(step) of \(device.name)\n"
      lines.insert(line)
      try await device.write((try await device.texts()[path] ?? "") + line, to: path)
      if Int.random(in: 0...2, using: &generator) == 0 { try await device.expectHealthyRun("seed \(seed)") }
    }
    for device in devices + devices { try await device.expectHealthyRun("seed \(seed)") }
    let texts = try await (devices[0].texts(), devices[1].texts())
    #expect(texts.0 == texts.1, "seed \(seed)")
    let live = Set(texts.0.values.flatMap { $0.split(separator: "\n").map { "\($0)\n" } })
    #expect(lines.subtracting(live) == [], "seed \(seed)")
    let quiet = await devices[0].sync()
    #expect(!quiet.didSomething && quiet.result == .synced, "seed \(seed): \(quiet)")
    #expect(Set(try filesOnDisk(place.path)) == Set(texts.0.keys).union([".syncd-root"]), "seed \(seed)")
  }

  @Test("deletions, moves and edits arrive", arguments: TestServer.Kind.allCases)
  func deletions(kind: TestServer.Kind) async throws {
    guard let server = try await TestServer.own(kind) else { return }
    defer { server.stop() }
    let place = try server.folder()
    let (one, two) = try (server.device("one", at: place.url), server.device("two", at: place.url))
    for name in ["keep.org", "delete.org", "edit.org", "old/move.org"] { try await one.write("* \(name)\n", to: name) }
    for device in [one, two] { try await device.expectHealthyRun("first") }
    #expect(try await two.texts() == one.texts())
    await one.store.take(try SyncPath("delete.org").orThrow(""))
    await one.store.take(try SyncPath("old/move.org").orThrow(""))
    try await one.write("* old/move.org\n", to: "new/move.org")
    try await two.write("* edited\n", to: "edit.org")
    for device in [one, two, one] { try await device.expectHealthyRun("second") }
    let expected = ["keep.org": "* keep.org\n", "edit.org": "* edited\n", "new/move.org": "* old/move.org\n"]
    #expect(try await one.texts() == expected)
    #expect(try await two.texts() == expected)
  }

  @Test("many new files are found at once, and nothing else", arguments: TestServer.Kind.allCases)
  func manyFiles(kind: TestServer.Kind) async throws {
    guard let server = try await TestServer.own(kind) else { return }
    defer { server.stop() }
    let place = try server.folder()
    let (one, two) = try (server.device("one", at: place.url), server.device("two", at: place.url))
    for number in 0..<60 { try await one.write("* note \(number)\n", to: "folder \(number % 3)/\(number).org") }
    for device in [one, two] { try await device.expectHealthyRun("many files") }
    #expect(try await two.texts() == one.texts())
    // An upload that could not be removed is removed by the next pass of its device.
    try await one.expectHealthyRun("quiet")
    let (onDisk, expected) = (Set(try filesOnDisk(place.path)), Set(try await one.texts().keys).union([".syncd-root"]))
    #expect(onDisk == expected, "\(onDisk.symmetricDifference(expected))")
  }

  @Test("leftovers of a crash are removed", arguments: TestServer.Kind.allCases)
  func leftovers(kind: TestServer.Kind) async throws {
    guard let server = try await TestServer.own(kind) else { return }
    defer { server.stop() }
    let place = try server.folder()
    let device = try server.device("one", at: place.url)
    try await device.write("* note\n", to: "folder/a.org")
    try await device.expectHealthyRun("first")
    let beginning = kind == .nginx ? "upload" : ""
    for name in ["\(beginning).syncd-one-abcdefgh.tmp", "folder/\(beginning).syncd-one-ijklmnop.tmp"] {
      try Data("half".utf8).write(to: URL(filePath: place.path + "/" + name))
    }
    try Data("busy".utf8).write(to: URL(filePath: place.path + "/\(beginning).syncd-other-abcdefgh.tmp"))
    try await device.expectHealthyRun("second")
    let left = try filesOnDisk(place.path)
    #expect(Set(left) == ["folder/a.org", ".syncd-root", "\(beginning).syncd-other-abcdefgh.tmp"])
  }

  @Test("an emptied server does not count as deletions", arguments: [TestServer.Kind.apache])
  func emptiedServer(kind: TestServer.Kind) async throws {
    guard let server = await TestServer.shared(kind) else { return }
    let place = try server.folder()
    let device = try server.device("one", at: place.url)
    for number in 0..<10 { try await device.write("* \(number)\n", to: "\(number).org") }
    try await device.expectHealthyRun("first")
    for name in try FileManager.default.contentsOfDirectory(atPath: place.path) {
      try FileManager.default.removeItem(atPath: place.path + "/" + name)
    }
    let report = await device.sync()
    #expect(report.failure != nil || report.hold != nil)
    #expect(try await device.texts().count == 10)
  }

  private func filesOnDisk(_ path: String) throws -> [String] {
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return names.filter {
      var isFolder: ObjCBool = false
      return unsafe FileManager.default.fileExists(atPath: path + "/" + $0, isDirectory: &isFolder)
        && !isFolder.boolValue
        && !$0.hasPrefix(".DAV") && !$0.contains("/.DAV/")
    }
  }
}

extension TestDevice {
  /// Runs, and requires success.
  func expectHealthyRun(_ comment: String) async throws {
    var report = await sync()
    // A lock that the server did not release blocks all devices for a minute.
    for _ in 0..<40 where report.result == .waiting {
      try await Task.sleep(for: .seconds(2))
      report = await sync()
    }
    #expect(
      [.synced, .conflicts].contains(report.result),
      "\(comment), \(name): \(report.result) \(report.failure?.message ?? "") \(report.actions.filter { $0.result != .done })"
    )
  }
}
