import SyncKit

extension StorageCheck {
  static let racing = [
    StorageCheck("of many creates at once exactly one wins") { checked in
      for round in 0..<10 {
        let path = "race \(round).org"
        let winner = try await checked.winner { try await checked.write("writer \($0)\n", to: path, if: .absent) }
        try await checked.expect(path, holds: "writer \(winner)\n")
      }
    },
    StorageCheck("of many writes on one revision exactly one wins") { checked in
      for round in 0..<10 {
        let path = "race \(round).org"
        let entry = try await checked.create(path)
        let winner = try await checked.winner {
          try await checked.write("writer \($0)\n", to: path, if: .unchanged(entry.revision))
        }
        try await checked.expect(path, holds: "writer \(winner)\n")
      }
    },
    StorageCheck("of a write and a removal at once exactly one wins") { checked in
      for round in 0..<10 {
        let path = "race \(round).org"
        let entry = try await checked.create(path)
        let condition = Condition.unchanged(entry.revision)
        let winner = try await checked.winner { writer in
          if writer % 2 == 0 { return try await checked.storage.remove(entry.path, if: condition) }
          return try await checked.write("writer \(writer)\n", to: path, if: condition)
        }
        try await checked.expect(path, holds: winner % 2 == 0 ? nil : "writer \(winner)\n")
      }
    },
    StorageCheck("writes to different paths at once all happen") { checked in
      let names = (0..<40).map { "folder \($0 % 4)/\($0).org" }
      try await withThrowingTaskGroup { group in
        for name in names { group.addTask { try await checked.create(name, "\(name)\n") } }
        try await group.waitForAll()
      }
      for name in names { try await checked.expect(name, holds: "\(name)\n") }
      let count = try await checked.list().count
      try require(count == names.count, "of \(names.count) files that were written at once \(count) are listed")
    },
    StorageCheck("a reader sees the old content or the new, and never a part") { checked in
      let versions = (0..<12).map { Content(Array("version \($0)\n".utf8) + Array(repeating: 64 + $0, count: 100_000)) }
      let replacement = try await checked.storage.capabilities().replacement
      let path = try syncPath("a.org")
      let first = try await checked.create(path, versions[0])
      let seen = try await withThrowingTaskGroup(of: [Entry?].self) { group in
        group.addTask { try await checked.poll(path) }
        try await checked.replace(first, by: versions.dropFirst())
        group.cancelAll()
        return try await group.next() ?? []
      }
      let stranger = seen.first { entry in !versions.contains { $0.digest == entry?.digest } && entry != nil }
      try require(
        stranger == nil, "a reader saw a content that nobody wrote, of \(stranger??.size ?? 0) bytes")
      // Where a version is replaced by moves, the name is free for a moment.
      try require(
        replacement != .conditional || seen.allSatisfy { $0 != nil }, "a reader saw no file while it was replaced")
    },
  ]
}

extension CheckedStorage {
  /// Lets eight writers do something at once, of which exactly one may succeed, and says which one it was.
  fileprivate func winner(_ write: @escaping @Sendable (Int) async throws -> WriteResult) async throws -> Int {
    let winners = try await withThrowingTaskGroup(of: (Int, Bool).self) { group in
      for writer in 0..<8 { group.addTask { (writer, try await write(writer).isDone) } }
      return try await group.reduce(into: [Int]()) { winners, result in if result.1 { winners.append(result.0) } }
    }
    guard winners.count == 1 else {
      throw CheckFailure("of eight writers at once exactly one should succeed and \(winners.count) did")
    }
    return winners[0]
  }

  /// Gives a file one content after the other.
  fileprivate func replace(_ entry: Entry, by versions: some Sequence<Content>) async throws {
    var entry = entry
    for version in versions {
      entry = try await storage.write(version, to: entry.path, if: .unchanged(entry.revision))
        .entry(whenCreating: entry.path)
      await Task.yield()
    }
  }

  /// Reads a file over and over until the task is cancelled; gives what it saw, nil where nothing was there.
  fileprivate func poll(_ path: SyncPath) async throws -> [Entry?] {
    var seen: [Entry?] = []
    while !Task.isCancelled {
      do {
        if let entry = try await entry(of: path) { seen.append(entry) }
      } catch let error as SyncError where error.code == .cancelled {
        break
      }
      await Task.yield()
    }
    return seen
  }

  /// A file as it is read, nil if it is absent, and nothing at all if it cannot be told at the moment.
  private func entry(of path: SyncPath) async throws -> Entry?? {
    switch try await storage.read(file: path, into: sink) {
    case .read(let entry): return .some(entry)
    case .absent: return .some(nil)
    case .postponed: return nil
    case .failed(let error): throw error
    }
  }
}
