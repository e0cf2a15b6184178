import SyncKit

extension StorageCheck {
  static let interruptions = [
    StorageCheck(.brokenContent, "a write whose content fails midway leaves the old version") { checked in
      let entry = try await checked.create("a.org")
      let broken = BrokenContent.stopping { () throws(SyncError) in
        throw SyncError(.pathFailed, "the rest of the file is unreadable")
      }
      try await checked.expectNoEffect(of: broken, at: entry)
    },
    StorageCheck(.shortContent, "a write whose content is shorter than announced leaves the old version") { checked in
      let entry = try await checked.create("a.org")
      try await checked.expectNoEffect(of: BrokenContent.stopping { () throws(SyncError) in }, at: entry)
    },
    StorageCheck(.cancelledWrite, "a cancelled write leaves the old version") { checked in
      let entry = try await checked.create("a.org")
      let (started, signal) = AsyncStream<Void>.makeStream()
      let endless = BrokenContent.stopping { () throws(SyncError) in
        signal.yield()
        try await untilCancelled()
      }
      await withTaskGroup { group in
        group.addTask {
          // Any result of a cancelled write is valid; its effect is checked below.
          _ = try? await checked.storage.write(endless, to: entry.path, if: .unchanged(entry.revision))
          signal.finish()
        }
        for await _ in started { group.cancelAll() }
      }
      try await checked.expect("a.org", holds: "one\n")
      try await checked.expectNames(["a.org"])
      _ = try await checked.replace(entry, "two\n")
    },
    StorageCheck(.idleRecovery, "recovery changes nothing without an interruption") { checked in
      for name in ["a.org", "folder/b.org"] { try await checked.create(name) }
      let before = try await checked.list().mapValues(\.revision)
      try await checked.storage.recover()
      try await checked.storage.recover()
      let after = try await checked.list().mapValues(\.revision)
      try require(before == after, "recovery changed a storage without an interruption")
    },
  ]
}

extension CheckedStorage {
  /// Requires that a write with incomplete content has no effect, neither on a file nor under a new name.
  fileprivate func expectNoEffect(of broken: Content, at entry: Entry) async throws {
    let fresh = try syncPath("new/file.org")
    for (path, condition) in [(entry.path, Condition.unchanged(entry.revision)), (fresh, .absent)] {
      let result = try? await storage.write(broken, to: path, if: condition)
      try require(result?.isDone != true, "an incomplete content was written")
    }
    try await expect(entry.path.description, holds: "one\n")
    try await expectNames([entry.path.description])
  }
}

/// Waits until the task ends, for at most a minute.
private func untilCancelled() async throws(SyncError) {
  do { try await Task.sleep(for: .seconds(60)) } catch { throw SyncError(.cancelled, "the write was cancelled") }
}
