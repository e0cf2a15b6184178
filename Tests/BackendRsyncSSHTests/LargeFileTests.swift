import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendRsyncSSH

@Suite("Large files") struct LargeFileTests {
  @Test("files above the size limit stay where they are, and all others arrive")
  func tooLarge() async throws {
    let folder = try await Folder()
    let device = try await folder.device("one", largestFile: 1_000)
    let long = String(repeating: "a long line\n", count: 100)
    try folder.make()
    try folder.write(long, to: "large there.org")
    try await device.write(long, to: "large here.org")
    try folder.write("there\n", to: "small there.org")
    try await device.write("here\n", to: "small here.org")
    for _ in 0..<2 {
      let report = await device.sync()
      for name in ["large there.org", "large here.org"] {
        let details = report.actions.filter { $0.path == SyncPath(name) }.map(\.detail)
        #expect(details.contains { $0.contains("larger than") }, "\(name): \(report.actions)")
      }
    }
    let small = ["small there.org": "there\n", "small here.org": "here\n"]
    #expect(try folder.texts() == small.merging(["large there.org": long]) { $1 })
    #expect(try await device.texts() == small.merging(["large here.org": long]) { $1 })
  }

  @Test("the connection waits as long as the server hashes a large file")
  func silence() async throws {
    let folder = try await Folder()
    try folder.make()
    let file = folder.path + "/long.org"
    #expect(FileManager.default.createFile(atPath: file, contents: nil))
    try FileHandle(forWritingTo: URL(filePath: file)).truncate(atOffset: 128 << 20)
    let rsync = NSTemporaryDirectory() + "rsync-\(UUID().uuidString)"
    let script = "#!/bin/sh\ncase \"$*\" in *--files-from*) sleep 15 ;; esac\nexec rsync \"$@\"\n"
    try writeProgram(script, to: rsync)
    let storage = try await folder.storage {
      $0.rsyncPath = rsync
      $0.timeout = .seconds(12)
    }
    let path = try #require(SyncPath("long.org"))
    _ = try await storage.list(since: Known())
    guard case .present(let entry) = try await storage.confirm(file: path) else {
      throw SyncError(.unexpected, "it is not there")
    }
    #expect(entry.size == 128 << 20)
  }
}
