import CPOSIX
import SyncKit
import Synchronization
import Testing

@testable import FileTree

/// Instances that replace files below one root.
@Suite struct RootLockTests {
  let folder = TestFolder()

  /// Another process that is in the middle of its changes.
  private func locked<Value>(_ body: (FileTree) async throws -> Value) async throws -> Value {
    let other = try Folder.root(at: folder.path)
    #expect(other.tryLock())
    defer { other.unlock() }
    var tree = folder.tree()
    tree.patience = .zero
    return try await body(tree)
  }

  /// The steps of replacing, removing and recovering.
  private static let steps: Set<TreeFailpoint> = [
    .filePublishing, .filePublished, .fileExchanging, .fileExchanged, .fileVerified, .fileExchangingBack,
    .fileExchangedBack,
    .fileMovingAway, .fileMovedAway, .fileMovingBack, .fileMovedBack, .recoveryDecided,
  ]

  @Test func `no other instance gets in between the steps of a change or of its recovery`() async throws {
    let other = try Folder.root(at: folder.path)
    let met = Mutex<(steps: Set<TreeFailpoint>, free: Set<TreeFailpoint>)>(([], []))
    let edit = Mutex<TreeFailpoint?>(nil)
    for isModern in [true, false] {
      let tree = folder.tree(isModern: isModern) { [folder] failpoint throws(SyncError) in
        if Self.steps.contains(failpoint) {
          let isFree = other.tryLock()
          if isFree { other.unlock() }
          met.withLock {
            $0.steps.insert(failpoint)
            if isFree { $0.free.insert(failpoint) }
          }
        }
        guard edit.withLock({ $0 }) == failpoint else { return }
        edit.withLock { $0 = nil }
        if failpoint == .fileVerified { throw SyncError(.unexpected, "crash") }
        folder.replace("a.org", by: "an editor's")
      }
      for place in [nil, .fileExchanging, .fileMovingAway, .fileVerified] as [TreeFailpoint?] {
        folder.write("old", to: "a.org")
        folder.write("old", to: "b.org")
        if folder.text("created.org") != nil { folder.remove("created.org") }
        edit.withLock { $0 = place }
        _ = try await tree.replace(a, "old", by: "new")
        _ = try await tree.replace(SyncPath("b.org")!, "old", by: nil)
        try await tree.pass()
        edit.withLock { $0 = nil }
        _ = try await tree.create(SyncPath("created.org")!, "new")
      }
    }
    #expect(met.withLock(\.steps) == Self.steps)
    #expect(met.withLock(\.free) == [])
  }

  @Test func `a change waits for another instance, and is left for the next pass if that does not end`() async throws {
    folder.write("old", to: "a.org")
    let result = try await locked { try await $0.replace(a, "old", by: "new") }
    guard case .postponed(let reason) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(reason.contains(folder.path))
    #expect(folder.text("a.org") == "old")
    #expect(folder.names == ["a.org"])
    #expect(folder.journal.count == 0)
    #expect(try await folder.tree().replace(a, "old", by: "new").isDone)
  }

  @Test func `a removal waits, too`() async throws {
    folder.write("old", to: "a.org")
    let result = try await locked { try await $0.replace(a, "old", by: nil) }
    guard case .postponed = result else {
      Issue.record("\(result)")
      return
    }
    #expect(folder.names == ["a.org"])
    #expect(try await folder.tree().replace(a, "old", by: nil).isDone)
  }

  @Test func `what a crash interrupted waits, too`() async throws {
    folder.write("old", to: "a.org")
    let failing = folder.tree { failpoint throws(SyncError) in
      if failpoint == .fileExchanged { throw SyncError(.unexpected, "crash") }
      if failpoint == .recoveryStarted { throw SyncError(.unexpected, "crash") }
    }
    _ = try? await failing.replace(a, "old", by: "new")
    #expect(folder.journal.count > 0)
    let error = try await locked { tree in
      await #expect(throws: SyncError.self) { try await tree.recover() }
    }
    #expect(error?.code == .unavailable)
    try await folder.tree().pass()
    #expect(folder.names == ["a.org"] && folder.text("a.org") == "new")
    #expect(folder.journal.count == 0)
  }

  @Test func `a folder is free once a change is over, however it ended`() async throws {
    folder.write("old", to: "a.org")
    let failing = folder.tree { failpoint throws(SyncError) in
      if failpoint == .intentWriting { throw SyncError(.noSpace, "the disk is full") }
    }
    await #expect(throws: SyncError.self) { try await failing.replace(a, "old", by: "new") }
    let root = try Folder.root(at: folder.path)
    #expect(root.tryLock())
    root.unlock()
  }
}
