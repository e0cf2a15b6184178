import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudSFTP

@Suite("Convergence of devices over a real sftp server")
struct ConvergenceTests {
  @Test(
    "devices have the same files after random edits, and no line is lost", arguments: ConformanceTests.safe, [2, 8])
  func randomEdits(kind: SFTPHost.Kind, count: Int) async throws {
    guard let host = try await SFTPHost.spacious(kind) else { return }
    let seed = UInt64.random(in: 0...(.max))
    var generator = SplitMix64(state: seed)
    let folder = Folder(on: host)
    var devices: [TestDevice] = []
    for number in 0..<count { devices.append(try await folder.device("d\(number)")) }
    var lines: Set<String> = []
    for step in 0..<(isSoak ? 200 : 24) {
      let device = devices[Int.random(in: 0..<count, using: &generator)]
      let name = ["a.org", "b c.org", "d/e+1.org", "d/f/g\u{E9}%.org"].randomElement(using: &generator) ?? "a.org"
      let line = "line \(step) of \(device.name)\n"
      lines.insert(line)
      try await device.write((try await device.texts()[name] ?? "") + line, to: name)
      if Int.random(in: 0...2, using: &generator) == 0 { try await device.expectHealthyRun("seed \(seed)") }
    }
    for device in devices + devices { try await device.expectHealthyRun("seed \(seed)") }
    let texts = try await devices[0].texts()
    for device in devices { #expect(try await device.texts() == texts, "seed \(seed)") }
    let live = Set(texts.values.flatMap { $0.split(separator: "\n").map { "\($0)\n" } })
    #expect(lines.subtracting(live) == [], "seed \(seed)")
    #expect(folder.allTexts() == texts, "seed \(seed)")
    let quiet = await devices[0].sync()
    #expect(!quiet.didSomething && quiet.result == .synced, "seed \(seed): \(quiet)")
  }

  @Test("deletions, moves and edits arrive", arguments: ConformanceTests.safe)
  func deletions(kind: SFTPHost.Kind) async throws {
    guard let host = try await SFTPHost.spacious(kind) else { return }
    let folder = Folder(on: host)
    let (one, two) = (try await folder.device("one"), try await folder.device("two"))
    for name in ["keep.org", "delete.org", "edit.org", "old/move.org"] { try await one.write("* \(name)\n", to: name) }
    for device in [one, two] { try await device.expectHealthyRun("first") }
    #expect(try await two.texts() == one.texts())
    try await one.remove("delete.org")
    try await one.remove("old/move.org")
    try await one.write("* old/move.org\n", to: "new/move.org")
    try await two.write("* edited\n", to: "edit.org")
    for device in [one, two, one] { try await device.expectHealthyRun("second") }
    let expected = ["keep.org": "* keep.org\n", "edit.org": "* edited\n", "new/move.org": "* old/move.org\n"]
    #expect(try await one.texts() == expected)
    #expect(try await two.texts() == expected)
    #expect(folder.allTexts() == expected)
  }

  @Test("an edit of another program with the same size arrives, also within the same second")
  func sameSize() async throws {
    let folder = try Folder()
    let device = try await folder.device("one")
    try await device.write("one\n", to: "a.org")
    try await device.expectHealthyRun("first")
    for text in ["two\n", "six\n", "ten\n"] {
      try folder.write(text, to: "a.org")
      try await device.expectHealthyRun(text)
      #expect(try await device.texts() == ["a.org": text])
    }
  }

  @Test("a folder that vanished or was emptied does not count as deletions", arguments: [true, false])
  func emptied(isGone: Bool) async throws {
    let folder = try Folder()
    let device = try await folder.device("one")
    for number in 0..<10 { try await device.write("* \(number)\n", to: "\(number).org") }
    try await device.expectHealthyRun("first")
    try FileManager.default.removeItem(atPath: folder.path)
    if !isGone { try folder.make() }
    let report = await device.sync()
    #expect(report.failure != nil || report.hold != nil)
    #expect(try await device.texts().count == 10)
  }

  @Test("links and pipes on the host are named, and neither followed nor replaced")
  func links() async throws {
    let folder = try Folder()
    let device = try await folder.device("one")
    try await device.write("one\n", to: "a.org")
    try await device.expectHealthyRun("first")
    let outside = ScratchFolder()
    try Data("outside\n".utf8).write(to: URL(filePath: outside.path + "/b.org"))
    for (name, target) in [
      ("link", outside.path), ("b.org", outside.path + "/b.org"), ("dangling.org", "/nonexistent"),
    ] {
      try FileManager.default.createSymbolicLink(atPath: folder.path + "/" + name, withDestinationPath: target)
    }
    guard unsafe mkfifo(folder.path + "/pipe.org", 0o600) == 0 else { throw TestFailure("no pipe") }
    for name in ["b.org", "dangling.org", "pipe.org"] { try await device.write("ours\n", to: name) }
    let report = await device.sync()
    #expect(report.notices.contains { $0.contains("b.org") && $0.contains("symbolic link") }, "\(report.notices)")
    #expect(try Data(contentsOf: URL(filePath: outside.path + "/b.org")) == Data("outside\n".utf8))
    let storage = try await folder.storage()
    for name in ["b.org", "dangling.org", "pipe.org"] {
      if case .read = try await storage.read(file: path(name), into: DigestSink()) { Issue.record("\(name) was read") }
      let result = try await storage.write(content("x"), to: path(name), if: .absent)
      guard case .failed(let error) = result else { throw TestFailure("\(name): \(result)") }
      #expect(error.code == .pathFailed, "\(error)")
    }
  }

  @Test("an org-mobile staging area works in such a folder, with and without encryption", arguments: [nil, "secret"])
  func stagingArea(password: String?) async throws {
    let folder = try Folder()
    let (desktop, phone) = (try await folder.device("desk"), try await folder.device("phone"))
    try await StagingAreaExchange(desktop: desktop, phone: phone, password: password).run()
  }
}
