import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

@testable import CloudSFTP

/// Writers that edit one folder at once, over a real server.
@Suite("Writers at once", .serialized)
struct StormTests {
  private static let clients = 8
  private static let updates = isSoak ? 200 : 12

  /// The texts of one client: those that were stored for certain, those that may be, and those that it replaced or removed.
  private struct Life: Sendable {
    var stored: Set<String> = []
    var unknown: Set<String> = []
    var replaced: Set<String> = []

    mutating func add(_ other: Life) {
      stored.formUnion(other.stored)
      unknown.formUnion(other.unknown)
      replaced.formUnion(other.replaced)
    }
  }

  /// The number of steps that all clients have made.
  private final class Progress: Sendable {
    let count = Mutex(0)
  }

  @Test("no accepted text is lost while writers create, edit and remove files and the server is ended abruptly")
  func storm() async throws {
    guard await SFTPHost.shared(.openssh) != nil else { return }
    let host = try await SFTPHost(.openssh)
    let folder = Folder(on: host)
    try folder.make()
    let (journal, progress) = (TestJournal(), Progress())
    _ = try await folder.storage(journal: journal).provenTraits()
    let record = try #require(journal.records()["sftp.traits"])
    let lives = try await withThrowingTaskGroup(of: Life.self) { group in
      for number in 0..<Self.clients {
        let own = TestJournal()
        own.write(["sftp.traits": record])
        let storage = try await folder.storage(journal: own, device: "client\(number)")
        group.addTask {
          try await Self.live(on: storage, number) { progress.count.withLock { $0 += 1 } }
        }
      }
      group.addTask {
        // In the middle of the storm, by its own count.
        for part in 1...3 {
          while progress.count.withLock({ $0 }) < part * Self.clients * Self.updates / 4 {
            try await Task.sleep(for: .milliseconds(5))
          }
          try await host.hangUp()
        }
        return Life()
      }
      return try await group.reduce(into: Life()) { $0.add($1) }
    }
    // Each client clears up what its broken connections have left.
    for number in 0..<Self.clients {
      let own = TestJournal()
      own.write(["sftp.traits": record])
      let storage = try await folder.storage(journal: own, device: "client\(number)")
      try await storage.recover()
      _ = try await storage.list(since: Known())
    }
    let left = folder.allTexts()
    #expect(left.keys.allSatisfy { !$0.contains(".syncd-") }, "\(left.keys)")
    // Each version that was stored was read by the one who replaced or removed it, or is still there.
    let lost = lives.stored.subtracting(lives.replaced).subtracting(left.values)
    #expect(lost.subtracting(lives.unknown) == [], "stored and lost")
    #expect(lives.stored.count > Self.clients)
    print(
      "storm: \(lives.stored.count.counted("version")) stored, \(lives.unknown.count) unknown, "
        + "\(left.count.counted("file")) left, of which \(left.keys.count { $0.contains("conflict") }) are conflict copies"
    )
  }

  private static func live(
    on storage: SFTPStorage, _ client: Int, _ step: @Sendable () -> Void
  ) async throws -> Life {
    var life = Life()
    var generator = SplitMix64(state: UInt64(client))
    for number in 0..<updates {
      defer { step() }
      let name = try path("\(Int.random(in: 0..<3, using: &generator)).org")
      // All of one size, because the protocol has whole seconds only.
      let text = "client \(client) step \(1_000 + number)\n"
      let isRemoval = Int.random(in: 0...3, using: &generator) == 0
      var before: String?
      do throws(SyncError) {
        let sink = MemorySink(limit: 1 << 20)
        let result: WriteResult
        if case .read(let entry) = try await storage.read(file: name, into: sink) {
          before = String(decoding: sink.bytes, as: UTF8.self)
          let change = Change(
            path: name, content: isRemoval ? nil : content(text), condition: .unchanged(entry.revision),
            replaced: Content(sink.bytes))
          result = try await storage.commit(change: change)
        } else {
          result = try await storage.write(content(text), to: name, if: .absent)
        }
        switch result {
        case .done:
          if let before { life.replaced.insert(before) }
          if before == nil || !isRemoval { life.stored.insert(text) }
        case .unknown: life.unknown.formUnion([text] + [before].compactMap(\.self))
        default: break
        }
      } catch {
        guard error.reach != .pass else { throw error }
        // The change was made or not.
        life.unknown.formUnion([text] + [before].compactMap(\.self))
      }
    }
    return life
  }

  @Test("no version that another program renames into place at a random moment is lost")
  func foreignVersions() async throws {
    guard let host = await SFTPHost.shared(.openssh) else { return }
    let folder = Folder(on: host)
    try folder.make()
    let storage = try await folder.storage()
    let count = isSoak ? 2_500 : 150
    var generator = SplitMix64(state: UInt64.random(in: 0...(.max)))
    var taken = 0
    for round in 0..<count {
      let name = "\(round % 10).org"
      try folder.write("first \(round)\n", to: name)
      let sink = MemorySink(limit: 1_000)
      guard case .read(let entry) = try await storage.read(file: path(name), into: sink) else {
        throw TestFailure("\(name) was not read")
      }
      let change = Change(
        path: try path(name), content: content("ours \(round)\n"), condition: .unchanged(entry.revision),
        replaced: Content(sink.bytes))
      // Of the size and the second of the version that is replaced, as far as possible.
      let theirs = "other \(round)\n"
      let pause = Duration.microseconds(Int.random(in: 0..<4_000, using: &generator))
      async let rename: Void = {
        try await Task.sleep(for: pause)
        try folder.write(theirs, to: name)
      }()
      let result = try await storage.commit(change: change)
      try await rename
      if case .done = result { taken += 1 }
      #expect(folder.allTexts().values.contains(theirs), "round \(round): \(result)")
    }
    print("\(count.counted("foreign version")): none lost, \(taken.counted("change")) made")
  }
}
