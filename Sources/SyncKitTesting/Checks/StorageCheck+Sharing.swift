import SyncKit

extension StorageCheck {
  /// The checks of two handles for one place.
  static let sharing = [
    StorageCheck(.listingOfOthers, "a listing shows the changes of another handle") { checked in
      let other = checked.seenFromOther
      let (gone, old) = (try await checked.create("gone.org"), try await checked.create("folder/old.org"))
      let known = try await checked.known()
      for entry in [gone, old] { try await other.meet(entry.path) }
      try await other.create("folder/new.org")
      try await other.remove(gone)
      let replaced = try await other.replace(old, "two\n")
      for known in [Known(), known] {
        let listed = try await checked.list(since: known)
        let names = listed.keys.sorted().map(\.description)
        try require(
          names == ["folder/new.org", "folder/old.org"],
          "after changes of another handle, the listing has \(names)")
        try require(
          listed[old.path]?.revision == replaced.revision, "the listing has a version that another handle replaced")
      }
      try await checked.expect("folder/old.org", holds: "two\n")
      try await checked.expect("gone.org", holds: nil)
      try require(try await checked.entry(at: "gone.org") == nil, "a lookup found a file that another handle removed")
    },
    StorageCheck(.sharedRevision, "a revision is the same for every handle") { checked in
      let other = checked.seenFromOther
      let entry = try await checked.create("a.org")
      let listed = try await other.list()[entry.path]
      let seen = [listed, try await other.entry(at: "a.org"), try await other.meet(entry.path)]
      for found in seen {
        try require(
          found?.revision == entry.revision,
          "one handle wrote \(entry.revision), and another sees \(found?.revision.description ?? "nothing")")
      }
      let second = try await other.replace(entry, "two\n")
      try await checked.write("lost\n", to: "a.org", if: .unchanged(entry.revision))
        .expectRefused(becauseOf: second.revision, "a write on a revision that another handle has replaced")
      try await checked.storage.remove(entry.path, if: .unchanged(entry.revision))
        .expectRefused(becauseOf: second.revision, "a removal of a revision that another handle has replaced")
      try await checked.write("lost\n", to: "a.org", if: .absent)
        .expectRefused(becauseOf: second.revision, "a creation of a file that another handle has written")
      try await checked.meet(entry.path)
      _ = try await checked.replace(second, "three\n")
      _ = try await other.list()
      try await other.expect("a.org", holds: "three\n")
    },
    StorageCheck(.overtakenWrite, "a write that another handle overtakes while its content is read is refused") {
      checked in
      let entry = try await checked.create("a.org")
      let overtaking = Overtaking(by: checked.seenFromOther, at: entry.path)
      let late = Content.finishing(Array("late\n".utf8)) { await overtaking.write() }
      let result = try await checked.storage.write(late, to: entry.path, if: .unchanged(entry.revision))
      try await checked.expect(result, of: "late\n", at: entry.path, after: overtaking, former: "one\n")
    },
    StorageCheck(.overtakenCreation, "a creation that another handle overtakes while its content is read is refused") {
      checked in
      let path = try syncPath("folder/new.org")
      let overtaking = Overtaking(by: checked.seenFromOther, at: path)
      let late = Content.finishing(Array("late\n".utf8)) { await overtaking.write() }
      let result = try await checked.storage.write(late, to: path, if: .absent)
      try await checked.expect(result, of: "late\n", at: path, after: overtaking, former: nil)
    },
    StorageCheck(.handlesAtOnce, "concurrent writes of two handles to different paths are all done") { checked in
      let other = checked.seenFromOther
      let names = (0..<20).map { "folder \($0 % 3)/\($0).org" }
      try await withThrowingTaskGroup { group in
        for (index, name) in names.enumerated() {
          let writer = index % 2 == 0 ? checked : other
          group.addTask { try await writer.createAmongWriters(name, "\(name)\n") }
        }
        try await group.waitForAll()
      }
      for reader in [checked, other] {
        try require(
          try await reader.list().count == names.count, "a file is missing after concurrent writes of two handles")
        for name in names { try await reader.expect(name, holds: "\(name)\n") }
      }
    },
  ]
}

/// Another handle, which replaces a file whenever the first one has read the content that it is about to write.
private actor Overtaking {
  /// The outcome of the replacement.
  enum Outcome {
    case done(String)
    /// Nothing was changed, or it was not attempted.
    case refused
    /// It did not end in time: the place makes the second writer wait for the first.
    case waiting
  }

  private let checked: CheckedStorage
  private let path: SyncPath
  private var count = 0
  private(set) var outcome = Outcome.refused

  init(by checked: CheckedStorage, at path: SyncPath) {
    self.checked = checked
    self.path = path
  }

  /// Replaces the file. Gives up after some seconds, because some places make the second writer wait for the first.
  func write() async {
    count += 1
    let (checked, path, text) = (checked, path, "overtaking \(count)\n")
    let new = await withTaskGroup(of: Outcome.self) { group in
      group.addTask {
        guard let entry = try? await checked.meet(path) else {
          return (try? await checked.write(text, to: path.description, if: .absent).isDone) == true
            ? .done(text) : .refused
        }
        let result = try? await checked.write(text, to: path.description, if: .unchanged(entry.revision))
        return result?.isDone == true ? .done(text) : .refused
      }
      group.addTask {
        try? await Task.sleep(for: .seconds(5))
        return .waiting
      }
      let first = await group.next() ?? .refused
      group.cancelAll()
      return first
    }
    // A version that was written earlier remains when a later attempt is refused.
    if case .done = outcome, case .refused = new { return }
    outcome = new
  }
}

extension CheckedStorage {
  /// Requires that a write that may have been overtaken does not replace the newer version, and that the version reported as
  /// written exists.
  fileprivate func expect(
    _ result: WriteResult, of late: String, at path: SyncPath, after overtaking: Overtaking, former: String?
  ) async throws {
    _ = try await list()
    switch await overtaking.outcome {
    case .done(let text):
      try require(!result.isDone, "a write was done after another handle had written the file")
      // A storage that replaces by moves looks at the version that it has moved away only afterwards: the late one may be in place,
      // and the other one in another file of the listing.
      guard try await storage.capabilities().replacement == .moves else {
        return try await expect(path.description, holds: text)
      }
      try require(
        try await texts().contains(text),
        "\(text.debugDescription), which was written, is in no file; the late write: \(result)")
    case .refused:
      try await expect(path.description, holds: result.isDone ? late : former)
    case .waiting:
      // The other write ended after the late one or not at all, so it may win only if the late one did not.
      if result.isDone { try await expect(path.description, holds: late) }
    }
  }
}
