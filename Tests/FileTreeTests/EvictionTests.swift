import CPOSIX
import Foundation
import SyncKit
import Synchronization
import Testing

@testable import FileTree

/// A cloud's program that removes the content of one file from this machine at a chosen moment.
private final class Evictor: Sendable {
  static let poison = "POISON"
  private let folder: TestFolder
  private let inode: UInt64
  private let isEvicted = Mutex(false)

  init(of name: String, in folder: TestFolder) throws {
    self.folder = folder
    inode = try #require(Self.inode(folder.path + "/" + name))
  }

  var program: CloudProgram {
    CloudProgram(
      name: "a cloud", request: { _ in true },
      isElsewhere: { inode in inode == self.inode && self.isEvicted.withLock { $0 } })
  }

  /// Overwrites the file in place, under whichever name it has.
  func put(_ text: String, isEvicted: Bool) {
    guard let name else { return }
    self.isEvicted.withLock { $0 = isEvicted }
    folder.write(text, to: name)
  }

  /// The present name of the file; nil if it was removed.
  var name: String? { folder.names.first { Self.inode(folder.path + "/" + $0) == inode } }

  private static func inode(_ path: String) -> UInt64? {
    var facts = stat()
    return unsafe lstat(path, &facts) == 0 ? UInt64(facts.st_ino) : nil
  }
}

@Suite("Files whose content leaves this machine during a change") struct EvictionTests {
  private static let moments: [TreeFailpoint] = TreeFailpoint.allCases.filter { $0 != .folderCreating }

  /// Makes a change, evicts the file that it replaces at a failpoint, and ends the program there if it crashes.
  private func change(
    to new: String?, evictedAt moment: TreeFailpoint, crashes: Bool, isModern: Bool
  ) async throws -> Bool {
    let folder = TestFolder()
    folder.write("theold", to: "a.org")
    let evictor = try Evictor(of: "a.org", in: folder)
    let wasReached = Mutex(false)
    func tree(at edit: @escaping @Sendable (TreeFailpoint) throws(SyncError) -> Void = { _ in }) -> FileTree {
      let parts = folder.tree().parts
      var tree = FileTree(path: folder.path, parts: parts, createsRoot: true, keptBy: evictor.program)
      (tree.reach, tree.isModern) = (edit, isModern)
      return tree
    }
    let first = tree { failpoint throws(SyncError) in
      guard failpoint == moment, wasReached.withLock({ $0.turnsTrue() }) else { return }
      evictor.put(Evictor.poison, isEvicted: true)
      if crashes { throw SyncError(.cancelled, "the program has ended") }
    }
    try await tree().pass()
    let result = try? await first.replace(a, "theold", by: new)
    guard wasReached.withLock({ $0 }) else { return false }
    let story = "\(moment) \(new ?? "removal") \(crashes) \(isModern) \(result.map { "\($0)" } ?? "nil")"
    let wasDiscarded = evictor.name == nil
    for _ in 1...2 {
      try await tree().pass()
      #expect(wasDiscarded || evictor.name != nil, "the only copy was removed: \(story)")
      #expect(folder.conflictCopies.isEmpty, "\(story)")
      let poisoned = folder.names.filter { folder.text($0) == Evictor.poison }
      #expect(poisoned == [evictor.name].compactMap(\.self), "\(story)")
    }
    // Nothing but a file that was seen whole in the temporary may have been discarded.
    if wasDiscarded { #expect(folder.text("a.org") == new, "\(story)") }
    #expect(folder.library.texts.allSatisfy { !$0.contains(Evictor.poison) })
    evictor.put("theold", isEvicted: false)
    for _ in 1...2 { try await tree().pass() }
    #expect(folder.temporaries.isEmpty && folder.journal.count == 0, "\(story): \(folder.names)")
    let text = folder.text("a.org")
    #expect(text == "theold" || text == new, "\(story): \(folder.names)")
    if case .done? = result { #expect(text == new, "\(story)") }
    return true
  }

  @Test("no moment of a change or crash reads, copies or loses a file that is evicted then", arguments: [true, false])
  func everyMoment(isModern: Bool) async throws {
    var reached = 0
    for moment in Self.moments {
      for new in ["thenew", nil] {
        for crashes in [true, false]
        where try await change(
          to: new, evictedAt: moment, crashes: crashes, isModern: isModern)
        { reached += 1 }
      }
    }
    #expect(reached > 40)
  }

  @Test("a pause between two requests for one content grows, and a pass asks for a limited number")
  func requests() {
    var times = RequestTimes()
    let minute: Int64 = 60_000_000_000
    #expect(times.isDue(at: Timestamp(nanoseconds: 0)))
    for (now, isDue) in [(0, true), (9, false), (10, true), (69, false), (70, true), (1_509, false), (1_510, true)] {
      let time = Timestamp(nanoseconds: Int64(now) * minute)
      #expect(times.isDue(at: time) == isDue, "\(now)")
      if isDue { times.record(at: time) }
    }
    #expect(times.isDue(at: Timestamp(nanoseconds: 0)))
    var budget = RequestBudget()
    #expect((1...201).filter { _ in budget.take(0) }.count == 200)
    budget = RequestBudget()
    #expect(budget.take(200_000_000) && !budget.take(1))
  }
}

extension Bool {
  /// Sets this to true; returns true if it was false.
  fileprivate mutating func turnsTrue() -> Bool {
    defer { self = true }
    return !self
  }
}
