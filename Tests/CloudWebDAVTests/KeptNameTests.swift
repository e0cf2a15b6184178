import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

@testable import CloudWebDAV

/// If files are replaced by moves, an interrupted device leaves only the old version, under another name.
@Suite("Versions that are moved aside")
struct KeptNameTests {
  /// The name of a version moved aside by `device`.
  private func kept(_ name: String, by device: String) throws -> String {
    try PreviousVersionName.beside(SyncPath(name).orThrow(""), device: device, .real).orThrow("no room").description
  }

  @Test("the name of a moved version leads to the original name")
  func names() throws {
    for name in ["a.org", "b/c d.org", "e.syncd-f.org"] {
      let path = try SyncPath(kept(name, by: "one")).orThrow("")
      #expect(ReservedName.isTemporary(path.name) && PreviousVersionName.isMoved(path))
      #expect(PreviousVersionName.original(of: path)?.description == name)
    }
    let long = try SyncPath(String(repeating: "x", count: 250)).orThrow("")
    let short = try PreviousVersionName.beside(long, device: "one", .real).orThrow("")
    #expect(
      short.name.count <= 250 && PreviousVersionName.isMoved(short) && PreviousVersionName.original(of: short) == nil)
    let upload = try SyncPath("upload.syncd-one-abcdefgh.tmp").orThrow("")
    #expect(!PreviousVersionName.isMoved(upload) && PreviousVersionName.original(of: upload) == nil)
  }

  /// Two devices with one file, which the first one has moved aside and not replaced.
  private func cutOff(
    _ work: (_ one: TestDevice, _ two: TestDevice, _ folder: String, _ kept: String) async throws -> Void
  ) async throws {
    guard let server = try await TestServer.own(.nginx, ["--no-locks"]) else { return }
    defer { server.stop() }
    let place = try server.folder()
    let (one, two) = try (server.device("one", at: place.url), server.device("two", at: place.url))
    try await one.write("* text\n", to: "a.org")
    try await one.write("* other\n", to: "b.org")
    for device in [one, two] { try await device.expectHealthyRun("first") }
    let kept = try kept("a.org", by: "one")
    try FileManager.default.moveItem(atPath: place.path + "/a.org", toPath: place.path + "/" + kept)
    let old = Date(timeIntervalSinceNow: -40 * 86_400)
    try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: place.path + "/" + kept)
    try await work(one, two, place.path, kept)
  }

  @Test("a version moved aside does not count as removed, is not cleaned up, and is restored by its device")
  func otherDevice() async throws {
    try await cutOff { one, two, folder, kept in
      for _ in 0..<2 { _ = await two.sync() }
      #expect(try await two.texts()["a.org"] == "* text\n")
      #expect(FileManager.default.fileExists(atPath: folder + "/" + kept))
      _ = await one.sync()
      for device in [one, two] {
        try await device.expectHealthyRun("later")
        #expect(try await device.texts() == ["a.org": "* text\n", "b.org": "* other\n"])
      }
      #expect(!FileManager.default.fileExists(atPath: folder + "/" + kept))
    }
  }

  /// A journal that cancels a task when a version is about to be moved away.
  private final class CancellingJournal: Journal {
    private let journal = TestJournal()
    private let task = Mutex<Task<WriteResult, any Error>?>(nil)

    func cancel(_ task: Task<WriteResult, any Error>) { self.task.withLock { $0 = task } }

    func records() -> [String: [UInt8]] { journal.records() }

    func write(_ records: [String: [UInt8]?]) {
      if records.contains(where: { $0.key.hasPrefix("webdav.moved ") && $0.value != nil }) {
        task.withLock { $0?.cancel() }
      }
      journal.write(records)
    }
  }

  @Test("a change is completed even if its task is cancelled", arguments: [true, false])
  func cancelled(isRemoval: Bool) async throws {
    guard let server = await TestServer.shared(.lighttpd) else { return }
    let (place, journal) = (try server.folder(), CancellingJournal())
    journal.write(["webdav.traits": try await server.probed()])
    let storage = try server.storage(at: place.url, journal: journal)
    let path = try SyncPath("a.org").orThrow("")
    guard case .done(let entry?) = try await storage.write(Content([1]), to: path, if: .absent) else {
      throw TestFailure("nothing was written")
    }
    let (gate, continuation) = AsyncStream<Void>.makeStream()
    let task = Task {
      for await _ in gate {}
      let change = Change(
        path: path, content: isRemoval ? nil : Content([2]), condition: .unchanged(entry.revision),
        replaced: Content([1]))
      return try await storage.commit(change: change)
    }
    journal.cancel(task)
    continuation.finish()
    _ = await task.result
    let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
    #expect(names == (isRemoval ? [] : ["a.org"]))
    if !isRemoval { #expect(FileManager.default.contents(atPath: place.path + "/a.org") == Data([2])) }
  }

  @Test("another device restores the name after a month")
  func month() async throws {
    try await cutOff { _, two, folder, kept in
      _ = await two.sync()
      let long = Runtime.real.now().seconds - 31 * 86_400
      let journal = two.archive.journal(of: "test")
      try await journal.write(["webdav.kept \(kept)": Array("\(long)".utf8)])
      _ = await two.sync()
      try await two.expectHealthyRun("a month later")
      #expect(FileManager.default.fileExists(atPath: folder + "/a.org"))
      #expect(!FileManager.default.fileExists(atPath: folder + "/" + kept))
    }
  }
}
