import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendRsyncSSH

@Suite("Convergence of devices and a user on the remote host") struct ConvergenceTests {
  @Test("edits, moves and deletions arrive", arguments: Folder.Transport.allCases, [false, true])
  func everything(way: Folder.Transport, isExclusive: Bool) async throws {
    guard await Folder.isAvailable(way), !isExclusive || SFTPServer.isAvailable else { return }
    let folder = try await Folder(way)
    let one = try await folder.device("one") { $0.exclusive = isExclusive }
    let two = try await folder.device("two") { $0.exclusive = isExclusive }
    for name in ["keep.org", "delete.org", "edit.org", "old/move.org", "gr\u{FC}n/\u{E9}.org"] {
      try await one.write("* \(name)\n", to: name)
    }
    for device in [one, two] { await device.expectHealthyRun("first") }
    #expect(try await two.texts() == one.texts())
    #expect(try folder.texts() == (try await one.texts()))

    try folder.write("* by hand\n", to: "hand.org")
    try await one.remove("delete.org")
    try await one.remove("old/move.org")
    try await one.write("* old/move.org\n", to: "new/move.org")
    try await two.write("* edited\n", to: "edit.org")
    for device in [one, two, one] { await device.expectHealthyRun("second") }
    let expected = [
      "keep.org": "* keep.org\n", "edit.org": "* edited\n", "new/move.org": "* old/move.org\n",
      "hand.org": "* by hand\n", "gr\u{FC}n/\u{E9}.org": "* gr\u{FC}n/\u{E9}.org\n",
    ]
    #expect(try await one.texts() == expected)
    #expect(try await two.texts() == expected)
    #expect(try folder.texts() == expected)
    for device in [one, two] {
      let quiet = await device.sync()
      #expect(quiet.result == .synced && !quiet.didSomething)
    }
  }

  @Test("random edits on all sides converge", arguments: 0..<(isSoak ? 40 : 3), [false, true])
  func random(seed: Int, isExclusive: Bool) async throws {
    guard !isExclusive || SFTPServer.isAvailable else { return }
    let folder = try await Folder()
    let one = try await folder.device("one") { $0.exclusive = isExclusive }
    // The devices use different modes and work together.
    let two = try await folder.device("two") { $0.exclusive = isExclusive && seed % 2 == 0 }
    var generator = SplitMix64(state: UInt64(seed) + 1)
    await one.expectHealthyRun("seed \(seed)")
    for round in 0..<6 {
      for device in [one, two] {
        for _ in 0..<3 {
          let name = "\(["a", "b/c", "b/d", "e"][Int(generator.next() % 4)]).org"
          if generator.next() % 5 == 0 {
            try await device.remove(name)
          } else {
            try await device.write("\(device.name) \(seed) \(round) \(generator.next() % 100)\n", to: name)
          }
        }
      }
      try folder.write("by hand \(round)\n", to: "hand \(generator.next() % 3).org", inPlace: generator.next() % 2 == 0)
      async let first = one.sync()
      async let second = two.sync()
      _ = await (first, second)
    }
    for _ in 0..<3 { for device in [one, two] { _ = await device.sync() } }
    let (first, second, there) = (try await one.texts(), try await two.texts(), try folder.texts())
    #expect(first == second, "seed \(seed)")
    #expect(there == first, "seed \(seed)")
    for device in [one, two] {
      let quiet = await device.sync()
      #expect(!quiet.didSomething, "seed \(seed)")
    }
  }

  @Test("only the differences of a large file are sent and fetched")
  func differences() async throws {
    let folder = try await Folder()
    let one = try await folder.device("one")
    var lines = (0..<20_000).map { "line \($0) of a long file\n" }
    try await one.write(lines.joined(), to: "long.org")
    await one.expectHealthyRun("first")
    lines[10_000] = "an edit here\n"
    try await one.write(lines.joined(), to: "long.org")
    await one.expectHealthyRun("edited here")
    #expect(folder.read("long.org") == lines.joined())
    lines[7] = "an edit there\n"
    lines.insert("a line more\n", at: 15_000)
    try folder.write(lines.joined(), to: "long.org")
    await one.expectHealthyRun("edited there")
    #expect(try await one.texts()["long.org"] == lines.joined())
  }
}
