import SyncKit
import Testing

@testable import FileTree

@Suite struct EvidenceTests {
  private let folder = TestFolder()
  private let awaited = [a: Digest(of: "new".utf8)]

  /// The paths whose writes a tree can prove in the next pass of another process.
  private func written(_ awaited: [SyncPath: Digest]? = nil) async throws -> Set<SyncPath> {
    let tree = folder.tree()
    try await tree.recover()
    return try await tree.list(since: Known(Base(), on: .local, awaited: awaited ?? self.awaited)).written
  }

  @Test(arguments: [true, false], [true, false])
  func `a published content is proved after it was edited or removed`(
    isModern: Bool, isReplacement: Bool
  ) async throws {
    if isReplacement { folder.write("old", to: "a.org") }
    let tree = folder.tree(isModern: isModern)
    _ = isReplacement ? try await tree.replace(a, "old", by: "new") : try await tree.create(a, "new")
    folder.replace("a.org", by: "edited")
    #expect(try await written() == [a])
    folder.remove("a.org")
    #expect(try await written() == [a])
    #expect(try await written([a: Digest(of: "another".utf8)]).isEmpty)
    #expect(try await written().isEmpty)
    #expect(try await folder.journal.records().keys.allSatisfy { !$0.hasPrefix("tree.written.") })
  }

  @Test func `a pass over one remote keeps the evidence that another remote needs`() async throws {
    _ = try await folder.tree().create(a, "new")
    folder.replace("a.org", by: "edited")
    let tree = folder.tree()
    for awaited in [[:], awaited] {
      // Both recover before one of them lists.
      try await tree.recover()
      try await tree.recover()
      let known = Known(Base(), on: .local, awaited: awaited, pending: [a])
      #expect(try await tree.list(since: known).written == Set(awaited.keys))
    }
    #expect(try await written() == [a])
  }

  @Test func `a refused write leaves no evidence`() async throws {
    let folder = folder
    let tree = folder.tree { if $0 == .filePublishing { folder.write("mine", to: "a.org") } }
    #expect(try await tree.create(a, "new").isRefused)
    #expect(try await written().isEmpty)
    #expect(try await folder.journal.records().keys.allSatisfy { !$0.hasPrefix("tree.written.") })
  }

  /// Kills at every failpoint of the commit, and at the same one of the recovery.
  @Test(arguments: [true, false], [nil, "mine"] as [String?])
  func `a crash at any step leaves only true evidence`(isModern: Bool, neighbour: String?) async throws {
    for old in [nil, "old"] { try await crashEverywhere(isModern: isModern, old: old, neighbour: neighbour) }
  }

  private func crashEverywhere(isModern: Bool, old: String?, neighbour: String?) async throws {
    var (place, isOver, proofs) = (0, false, 0)
    while !isOver {
      place += 1
      let folder = TestFolder()
      if let old { folder.write(old, to: "a.org") }
      let killer = CrashTests.Killer(at: place) { failpoint in
        // Another program is faster.
        if let neighbour, failpoint == .intentWritten { folder.replace("a.org", by: neighbour) }
      }
      let tree = folder.tree(isModern: isModern) { failpoint throws(SyncError) in try killer.reach(failpoint) }
      _ = old == nil ? try? await tree.create(a, "new") : try? await tree.replace(a, "old", by: "new")
      isOver = !killer.hasKilled
      let wasThere = folder.text("a.org") == "new"
      let recovery = CrashTests.Killer(at: place)
      let second = folder.tree(isModern: isModern) { failpoint throws(SyncError) in try recovery.reach(failpoint) }
      try? await second.recover()
      let last = folder.tree(isModern: isModern)
      try await last.recover()
      let proved = try await last.list(since: Known(Base(), on: .local, awaited: awaited)).written == [a]
      if proved { #expect(neighbour == nil && wasThere, "place \(place)") }
      if folder.text("a.org") == "new" { #expect(proved, "place \(place)") }
      if proved { proofs += 1 }
    }
    #expect((proofs > 0) == (neighbour == nil))
  }
}
