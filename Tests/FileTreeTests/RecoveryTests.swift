import Foundation
import SyncKit
import Synchronization
import Testing

@testable import FileTree

@Suite struct RemedyTests {
  typealias Found = Remedy.Found

  /// Every row: for each kind of intent and content of the place, the action on a temporary file that is absent, has the
  /// expected content, the new one, or another, or is the file that has its new name already.
  static let table: [(Intent.Kind, Found, [Remedy])] = [
    (.exchange, .nothing, [.close, .discard, .discard, .moveBack, .discard]),
    (.exchange, .expected, [.close, .discard, .discard, .keepAside, .discard]),
    (.exchange, .new, [.close, .discard, .discard, .exchangeBack, .discard]),
    (.exchange, .other, [.close, .discard, .discard, .keepAside, .discard]),
    (.exchange, .renamed, [.moveAway, .discard, .discard, .keepAside, .discard]),
    (.aside, .nothing, [.close, .moveBack, .moveBack, .moveBack, .discard]),
    (.aside, .expected, [.close, .discard, .discard, .keepAside, .discard]),
    (.aside, .new, [.close, .discard, .discard, .keepAside, .discard]),
    (.aside, .other, [.close, .discard, .discard, .keepAside, .discard]),
    (.aside, .renamed, [.moveAway, .discard, .discard, .keepAside, .discard]),
    (.removal, .nothing, [.close, .discard, .moveBack, .moveBack, .discard]),
    (.removal, .expected, [.close, .discard, .keepAside, .keepAside, .discard]),
    (.removal, .new, [.close, .discard, .keepAside, .keepAside, .discard]),
    (.removal, .other, [.close, .discard, .keepAside, .keepAside, .discard]),
    (.removal, .renamed, [.moveAway, .discard, .keepAside, .keepAside, .discard]),
    (.probation, .nothing, [.close, .discard, .keepAside, .keepAside, .discard]),
    (.probation, .expected, [.close, .discard, .keepAside, .keepAside, .discard]),
    (.probation, .new, [.close, .discard, .keepAside, .keepAside, .discard]),
    (.probation, .other, [.close, .discard, .keepAside, .keepAside, .discard]),
    (.probation, .renamed, [.moveAway, .discard, .keepAside, .keepAside, .discard]),
  ]

  @Test func `the table is complete and as written here`() {
    #expect(Self.table.count == Intent.Kind.allCases.count * Found.allCases.count)
    for (kind, place, remedies) in Self.table {
      #expect(Found.allCases.map { Remedy(kind, location: place, temporary: $0) } == remedies, "\(kind) \(place)")
    }
  }

  @Test(arguments: table.indices)
  func `each remedy keeps every version and leaves no leftovers`(row: Int) async throws {
    let (kind, place, remedies) = Self.table[row]
    for (held, remedy) in zip(Found.allCases, remedies) {
      // Only a removal has a new path.
      if place == .renamed || held == .renamed, ![.removal, .probation].contains(kind) { continue }
      let folder = TestFolder()
      let tree = folder.tree()
      let intent = try await plant(kind, place: place, temporary: held, in: folder)
      try await tree.pass()
      #expect(folder.temporaries.isEmpty, "\(kind) \(place) \(held)")
      #expect(folder.journal.count == 0)
      let texts = folder.names.compactMap { folder.text($0) }
      // A content without another copy still exists; the place keeps its content, unless that is rolled back.
      if held == .other { #expect(texts.contains("temporary's own")) }
      if place == .other { #expect(folder.text("a.org") == "place's own") }
      if remedy == .moveAway { #expect(folder.text("a.org") == nil) }
      #expect((place != .renamed && held != .renamed) || texts.contains("renamed"))
      if remedy == .exchangeBack { #expect(folder.text("a.org") == "temporary's own") }
      if remedy == .moveBack { #expect(folder.text("a.org") == text(held, own: "temporary's own")) }
      if remedy == .keepAside {
        #expect(folder.conflictCopies.count == 1)
      } else {
        #expect(folder.conflictCopies == [])
      }
      #expect(intent.path == a)
    }
  }

  private func plant(
    _ kind: Intent.Kind, place: Found, temporary: Found, in folder: TestFolder
  ) async throws -> Intent {
    let tree = folder.tree()
    let name = Temporary(of: Temporary.Owner(tree.parts), .real)
    let isRename = place == .renamed || temporary == .renamed
    if isRename { folder.write("renamed", to: "b.org") }
    func put(_ found: Found, own: String, at name: String) {
      if found == .renamed { folder.link("b.org", as: name) }
      if let text = text(found, own: own) { folder.write(text, to: name) }
    }
    put(place, own: "place's own", at: "a.org")
    put(temporary, own: "temporary's own", at: String(decoding: name.name.bytes, as: UTF8.self))
    let root = try #require(try await tree.identity().id)
    let intent = Intent(
      kind: kind, path: a, temporary: name, expected: Digest(of: "expected".utf8),
      new: kind == .removal || isRename ? nil : Digest(of: "new".utf8), newPath: isRename ? SyncPath("b.org") : nil,
      root: root)
    #expect(Intent(key: intent.key, record: intent.record) == intent)
    try await folder.journal.write([intent.key: intent.record])
    return intent
  }

  private func text(_ found: Found, own: String) -> String? {
    switch found {
    case .nothing, .renamed: nil
    case .expected: "expected"
    case .new: "new"
    case .other: own
    }
  }
}

@Suite struct CrashTests {
  /// Kills at the n-th failpoint: nothing happens after it.
  final class Killer: Sendable {
    private let left: Mutex<Int>
    private let edit: @Sendable (TreeFailpoint) -> Void

    init(at place: Int, edit: @escaping @Sendable (TreeFailpoint) -> Void = { _ in }) {
      left = Mutex(place)
      self.edit = edit
    }

    var hasKilled: Bool { left.withLock { $0 <= 0 } }

    func reach(_ failpoint: TreeFailpoint) throws(SyncError) {
      let isDead = left.withLock { left in
        left -= 1
        return left <= 0
      }
      if isDead { throw SyncError(.unexpected, "killed") }
      edit(failpoint)
    }
  }

  /// Commits and recovers with a crash at every failpoint, and another one at every failpoint of the recovery.
  private func crashEverywhere(
    _ changes: Change..., on text: String?, isModern: Bool,
    edit: @escaping @Sendable (TestFolder, TreeFailpoint) -> Void = { _, _ in },
    editAfterCrash: (TestFolder) -> Void = { _ in },
    check: (TestFolder) -> Void
  ) async throws {
    var first = 0
    var isOver = false
    while !isOver {
      first += 1
      var second = 0
      var recovers = true
      while recovers {
        second += 1
        let folder = TestFolder()
        if let text { folder.write(text, to: "x/a.org") }
        let commit = Killer(at: first) { edit(folder, $0) }
        _ = try? await folder.tree(isModern: isModern) { failpoint throws(SyncError) in try commit.reach(failpoint) }
          .commit(changes)
        editAfterCrash(folder)
        let recovery = Killer(at: second)
        _ = try? await folder.tree(isModern: isModern) { failpoint throws(SyncError) in try recovery.reach(failpoint) }
          .pass()
        try await folder.tree(isModern: isModern).pass()
        #expect(folder.temporaries.isEmpty, "places \(first) and \(second)")
        #expect(folder.journal.count == 0, "places \(first) and \(second)")
        check(folder)
        (isOver, recovers) = (!commit.hasKilled, recovery.hasKilled)
      }
    }
    #expect(first > 5)
  }

  private static let path = SyncPath("x/a.org")!

  @Test(arguments: [true, false])
  func `recovery after a crash while creating`(isModern: Bool) async throws {
    let change = Change(path: Self.path, content: Content("new"), condition: .absent)
    try await crashEverywhere(change, on: nil, isModern: isModern) { folder in
      #expect([nil, "new"].contains(folder.text("x/a.org")))
    }
  }

  @Test(arguments: [true, false])
  func `recovery after a crash while replacing`(isModern: Bool) async throws {
    let change = Change(
      path: Self.path, content: Content("new"), condition: .unchanged(Revision("")), replaced: Content("old"))
    try await crashEverywhere(change, on: "old", isModern: isModern) { folder in
      #expect(["old", "new"].contains(folder.text("x/a.org")))
      #expect(folder.conflictCopies.isEmpty)
    }
  }

  @Test(arguments: [true, false])
  func `recovery after a crash while removing`(isModern: Bool) async throws {
    let change = Change(
      path: Self.path, content: nil, condition: .unchanged(Revision("")), replaced: Content("old"))
    try await crashEverywhere(change, on: "old", isModern: isModern) { folder in
      #expect([nil, "old"].contains(folder.text("x/a.org")))
      #expect(folder.conflictCopies.isEmpty)
    }
  }

  @Test(
    arguments: [
      TreeFailpoint.fileExchanging, .fileExchanged, .fileMovedAway, .fileVerified, .fileExchangedBack,
    ], [true, false])
  func `recovery after a crash while replacing, with a concurrent save`(moment: TreeFailpoint, isModern: Bool)
    async throws
  {
    let change = Change(
      path: Self.path, content: Content("new"), condition: .unchanged(Revision("")), replaced: Content("old"))
    let edited = Mutex(false)
    try await crashEverywhere(change, on: "old", isModern: isModern) { folder, failpoint in
      guard failpoint == moment else { return }
      folder.replace("x/a.org", by: "mine")
      edited.withLock { $0 = true }
    } check: { folder in
      let texts = folder.names.compactMap { folder.text($0) }
      edited.withLock { edited in
        if edited { #expect(texts.contains("mine")) }
        edited = false
      }
      #expect(folder.text("x/a.org") != nil)
    }
  }

  @Test(arguments: [TreeFailpoint.fileMovingAway, .fileMovedAway, .fileVerified], [true, false])
  func `recovery after a crash while removing, with a concurrent save`(moment: TreeFailpoint, isModern: Bool)
    async throws
  {
    let change = Change(
      path: Self.path, content: nil, condition: .unchanged(Revision("")), replaced: Content("old"))
    let edited = Mutex(false)
    try await crashEverywhere(change, on: "old", isModern: isModern) { folder, failpoint in
      guard failpoint == moment else { return }
      folder.write("mine", to: "x/a.org")
      edited.withLock { $0 = true }
    } check: { folder in
      let texts = folder.names.compactMap { folder.text($0) }
      edited.withLock { edited in
        if edited { #expect(texts.contains("mine")) }
        edited = false
      }
    }
  }

  private static let rename = [
    Change(path: SyncPath("y/b.org")!, content: Content("old"), condition: .absent),
    Change(path: path, content: nil, condition: .unchanged(Revision("")), replaced: Content("old")),
  ]

  @Test(arguments: [true, false])
  func `recovery after a crash while renaming`(isModern: Bool) async throws {
    try await crashEverywhere(Self.rename[0], Self.rename[1], on: "old", isModern: isModern) { folder in
      #expect(folder.text("x/a.org") == "old" || folder.text("y/b.org") == "old")
      #expect(folder.sharedNames.isEmpty && folder.conflictCopies.isEmpty)
    }
  }

  @Test(
    "an edit in place after a crash while renaming is in one file", arguments: ["x/a.org", "y/b.org"], [true, false])
  func editedAfterCrash(name: String, isModern: Bool) async throws {
    try await crashEverywhere(Self.rename[0], Self.rename[1], on: "old", isModern: isModern) { _, _ in
    } editAfterCrash: { folder in
      if folder.text(name) != nil { folder.write("mine", to: name) }
    } check: { folder in
      let texts = folder.names.compactMap { folder.text($0) }
      #expect(texts.count { $0 == "mine" } <= 1 && !texts.isEmpty, "\(folder.names)")
      #expect(folder.sharedNames.isEmpty && folder.conflictCopies.isEmpty)
    }
  }

  @Test func `an intent of another root is ignored`() async throws {
    let folder = TestFolder()
    let temporary = Temporary(of: Temporary.Owner(folder.tree().parts), .real)
    let intent = Intent(
      kind: .removal, path: a, temporary: temporary, expected: .empty, new: nil, root: "another")
    try await folder.journal.write([intent.key: intent.record])
    try await folder.tree().pass()
    #expect(folder.journal.count == 1)
  }
}

@Suite struct LitterTests {
  let folder = TestFolder()

  private func name(of device: String) -> String {
    let temporary = Temporary(of: Temporary.Owner(folder.tree(device: device).parts), .real)
    return String(decoding: temporary.name.bytes, as: UTF8.self)
  }

  @Test func `leftovers are removed by the next pass, and a dry run keeps them`() async throws {
    folder.write("half", to: "x/" + name(of: "device"))
    try FileManager.default.createDirectory(
      atPath: folder.path + "/" + name(of: "device"), withIntermediateDirectories: true)
    let tree = folder.tree()
    #expect(try await tree.list(since: Known()).count == 0)
    #expect(folder.temporaries.count == 2)
    try await tree.pass()
    #expect(folder.temporaries.isEmpty)
  }

  @Test func `another device's work in progress stays, and is kept in history once abandoned`() async throws {
    folder.write("half", to: name(of: "another"))
    try await folder.tree().pass()
    #expect(folder.temporaries.count == 1)
    #expect(folder.library.collector.contents.isEmpty)
    var tomorrow = Runtime.real
    tomorrow.now = { Timestamp(seconds: Runtime.real.now().seconds + 90_000) }
    try await folder.tree(runtime: tomorrow).pass()
    #expect(folder.temporaries.isEmpty)
    #expect(folder.library.collector.contents == [Array("half".utf8)])
  }

  @Test func `a folder with contents and a leftover's name stays`() async throws {
    let name = name(of: "device")
    folder.write("precious", to: name + "/a.org")
    try await folder.tree().pass()
    #expect(folder.text(name + "/a.org") == "precious")
  }
}
