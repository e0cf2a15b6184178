import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendRsyncSSH

@Suite("A concurrent writer") struct RacingTests {
  /// The lost versions of a writer: those that are neither on the machine, nor in the store, nor in the history.
  private func lost(_ texts: [String], _ device: TestDevice, _ folder: Folder) async throws -> [String] {
    let live = Set(try folder.texts().values).union(try await device.texts().values)
    var lost: [String] = []
    for text in texts where !live.contains(where: { $0.contains(text) }) {
      if try await device.archive.content(Digest(of: Array(text.utf8))) == nil { lost.append(text) }
    }
    return lost
  }

  /// rsync cannot prevent the loss of a version that is renamed into place between the system calls with which it keeps the old
  /// version and puts the new one in place. One in each thousand rounds or part of it is tolerated, and none in the exclusive mode.
  @Test("syncd overwrites nothing unseen, and the writer loses nothing", arguments: [true, false], [false, true])
  func rounds(inPlace: Bool, isExclusive: Bool) async throws {
    guard !isExclusive || SFTPServer.isAvailable else { return }
    let folder = try await Folder()
    let device = try await folder.device("one") { $0.exclusive = isExclusive }
    try await device.write("start\n", to: "a.org")
    await device.expectHealthyRun("first")
    var versions: [String] = []
    let rounds = isSoak ? 2_500 : 25
    for round in 0..<rounds {
      try await device.write("ours \(round)\n", to: "a.org")
      let theirs = "theirs \(round)\n"
      versions.append(theirs)
      async let writing: Void = {
        try await Task.sleep(for: .microseconds(Int.random(in: 0..<150_000)))
        try folder.write(theirs, to: "a.org", inPlace: inPlace)
      }()
      _ = await device.sync()
      try await writing
      // Versions that the writer overwrites itself do not count: each version exists during one quiet run.
      _ = await device.sync()
    }
    for _ in 0..<2 { _ = await device.sync() }
    let lost = try await lost(versions, device, folder)
    let way = (inPlace ? "in place" : "by rename") + (isExclusive ? ", all moved," : "")
    print("*** rounds: \(rounds), written \(way) during a pass; lost versions: \(lost.count) ***")
    #expect(lost.count <= (inPlace || isExclusive ? 0 : (rounds + 999) / 1_000), "\(lost)")
    let (there, here) = (try folder.texts(), try await device.texts())
    #expect(there == here, "\(there) and \(here)")
    #expect(try folder.texts().keys.allSatisfy { !$0.contains(".syncd-") })
  }
}
