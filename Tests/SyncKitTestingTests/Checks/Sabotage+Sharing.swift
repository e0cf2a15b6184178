import SyncKit
import SyncKitTesting

extension Sabotage {
  /// Flaws that only a second handle for the same place reveals. Each handle has its own locks and caches.
  static let sharing = [
    // The yields let another handle write between the check and the write.
    Sabotage("a handle checks, then writes, under a lock of its own") {
      $0.onWrite = checkingFirst { for _ in 0..<20 { await Task.yield() } }
    },
    Sabotage("a handle checks before it reads the content, but not afterwards") { $0.onWrite = checkingFirst {} },
    Sabotage("a handle repeats its first listing") {
      let cache = ListingCache()
      $0.onList = { memory, known in
        let entries = try await cache.entries { try await memory.list(since: Known()).entries }
        return MemoryStorage.snapshot(of: entries, since: known, root: RootIdentity(address: "memory:", id: nil))
      }
      $0.onWrite = { memory, content, path, condition in
        await cache.forget()
        return try await memory.write(content, to: path, if: condition)
      }
      $0.onRemove = { memory, path, condition in
        await cache.forget()
        return try await memory.remove(path, if: condition)
      }
    },
    Sabotage("each handle has its own revision numbers") {
      let numbers = RevisionNumbers()
      $0.onWrite = { memory, content, path, condition in
        let result = try await memory.write(content, to: path, if: await numbers.theirs(condition))
        guard case .done(let entry?) = result else { return result }
        return .done(await numbers.ours(entry))
      }
      $0.onRemove = { memory, path, condition in
        try await memory.remove(path, if: await numbers.theirs(condition))
      }
      $0.onConfirm = { memory, path in
        guard case .present(let entry) = try await memory.confirm(file: path) else { return .absent }
        return .present(await numbers.ours(entry))
      }
    },
  ]
}

extension Presence {
  fileprivate var entry: Entry? { if case .present(let entry) = self { entry } else { nil } }

  fileprivate func holds(_ condition: Condition) -> Bool {
    (entry.map { .unchanged($0.revision) } ?? .absent) == condition
  }
}

extension Sabotage {
  /// Checks the condition, reads the content, and then writes unconditionally, under the handle's own lock.
  private static func checkingFirst(
    _ pause: @escaping @Sendable () async -> Void
  ) -> @Sendable (MemoryStorage, Content, SyncPath, Condition) async throws -> WriteResult {
    let locks = LockQueue()
    return { memory, content, path, condition in
      try await locks.withLock("write") { () throws(SyncError) in
        let found = try await memory.confirm(file: path)
        guard found.holds(condition) else { return .refused(found.entry) }
        let bytes = try await content.bytes()
        guard Digest(of: bytes) == content.digest else { throw SyncError(.changedMeanwhile, "it changed") }
        await pause()
        let now = try await memory.confirm(file: path).entry
        return try await memory.write(
          Content(bytes), to: path, if: now.map { .unchanged($0.revision) } ?? .absent)
      }
    }
  }
}

private actor ListingCache {
  private var known: [Entry]?

  func forget() { known = nil }

  func entries(_ list: () async throws -> [Entry]) async throws -> [Entry] {
    if let known { return known }
    let entries = try await list()
    known = entries
    return entries
  }
}

/// Revisions that only one handle knows.
private actor RevisionNumbers {
  private var numbers: [Revision: Revision] = [:]

  func ours(_ entry: Entry) -> Entry {
    var entry = entry
    let ours = numbers.first { $0.value == entry.revision }?.key ?? Revision("own \(numbers.count)")
    numbers[ours] = entry.revision
    entry.revision = ours
    return entry
  }

  func theirs(_ condition: Condition) -> Condition {
    guard case .unchanged(let revision) = condition else { return condition }
    return .unchanged(numbers[revision] ?? revision)
  }
}
