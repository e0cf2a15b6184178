import SyncKit

extension StorageCheck {
  static let racing = [
    StorageCheck(.createRace, "at most one of several concurrent creations is done") { checked in
      try await checked.race(former: nil) { path, _ in
        { writer in try await checked.write(by: writer, to: path, if: .absent) }
      }
    },
    StorageCheck(.writeRace, "at most one of several concurrent writes on one revision is done") { checked in
      try await checked.race(former: "one\n") { path, revision in
        { writer in try await checked.write(by: writer, to: path, if: .unchanged(revision)) }
      }
    },
    StorageCheck(.removalRace, "at most one of several concurrent writes and removals is done") { checked in
      try await checked.race(former: "one\n", removing: { $0 % 2 == 0 }) { path, revision in
        { writer in
          guard writer % 2 == 0 else {
            return try await checked.write(by: writer, to: path, if: .unchanged(revision))
          }
          return try await checked.handle(of: writer).remove(try syncPath(path), if: .unchanged(revision))
        }
      }
    },
    StorageCheck(.parallelWrites, "concurrent writes to different paths are all done") { checked in
      let names = (0..<40).map { "folder \($0 % 4)/\($0).org" }
      try await withThrowingTaskGroup { group in
        for name in names { group.addTask { try await checked.createAmongWriters(name, "\(name)\n") } }
        try await group.waitForAll()
      }
      for name in names { try await checked.expect(name, holds: "\(name)\n") }
      let count = try await checked.list().count
      try require(count == names.count, "of \(names.count.counted("file")) written concurrently, \(count) are listed")
    },
    StorageCheck(.wholeReads, "a reader sees the whole old or the whole new content") { checked in
      let versions = (0..<12).map { Content(Array("version \($0)\n".utf8) + Array(repeating: 64 + $0, count: 100_000)) }
      let replacement = try await checked.storage.capabilities().replacement
      let path = try syncPath("a.org")
      let first = try await checked.create(path, versions[0])
      let seen = try await withThrowingTaskGroup(of: [Entry?].self) { group in
        group.addTask { try await checked.seenFromOther.poll(path) }
        try await checked.replace(first, by: versions.dropFirst())
        group.cancelAll()
        return try await group.next() ?? []
      }
      let stranger = seen.first { entry in !versions.contains { $0.digest == entry?.digest } && entry != nil }
      try require(
        stranger == nil, "a reader saw a content that was never written, of \((stranger??.size ?? 0).counted("byte"))")
      // While a version is replaced by moves, there may briefly be no file.
      try require(
        replacement != .conditional || seen.allSatisfy { $0 != nil },
        "a file was absent for a reader while it was replaced")
    },
  ]
}

extension CheckedStorage {
  /// Writes through the writer's handle.
  fileprivate func write(by writer: Int, to path: String, if condition: Condition) async throws -> WriteResult {
    try await handle(of: writer).write(Content(Array("writer \(writer)\n".utf8)), to: try syncPath(path), if: condition)
  }

  /// Lets eight writers, four per handle, change one file concurrently in ten rounds. In each round at most one may succeed,
  /// and the file must then have its text, or the former text if all were refused or postponed. At least one must succeed over
  /// all rounds. Concurrent removals may all succeed: the file is gone either way.
  ///
  /// A storage that replaces by moves looks at the version that it has moved away only afterwards: a late writer, whose result is
  /// then unknown, may be in place, and the winner's text in another file of the listing.
  fileprivate func race(
    former: String?, removing isRemoval: (Int) -> Bool = { _ in false },
    _ change: (String, Revision) -> @Sendable (Int) async throws -> WriteResult
  ) async throws {
    let replacesByMoves = try await storage.capabilities().replacement == .moves
    var count = 0
    for round in 0..<10 {
      let path = "race \(round).org"
      var revision = Revision("none")
      if let former {
        let entry = try await create(path, former)
        try await seenFromOther.meet(entry.path)
        revision = entry.revision
      }
      let results = try await results(of: change(path, revision))
      let winners = results.indices.filter { results[$0].isDone }
      guard winners.count <= 1 || winners.allSatisfy(isRemoval) else {
        throw CheckFailure("more than one of eight concurrent writers succeeded: \(winners)")
      }
      count += winners.count
      _ = try await list()
      if let winner = winners.first {
        let text = isRemoval(winner) ? nil : "writer \(winner)\n"
        guard let text, replacesByMoves, results.contains(where: \.isUnknown) else {
          try await expect(path, holds: text)
          continue
        }
        try require(
          try await texts().contains(text),
          "the text of writer \(winner), which succeeded, is in no file; the results are \(results)")
      } else if !results.contains(where: \.isUnknown) {
        do { try await expect(path, holds: former) } catch {
          throw CheckFailure("no change was reported as done, but \(error); the results are \(results)")
        }
      }
    }
    try require(count > 0, "no change was done in ten races of eight writers")
  }

  private func results(
    of change: @escaping @Sendable (Int) async throws -> WriteResult
  ) async throws -> [WriteResult] {
    try await withThrowingTaskGroup(of: (Int, WriteResult).self) { group in
      for writer in 0..<8 { group.addTask { (writer, try await change(writer)) } }
      return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  /// Replaces a file by one content after the other.
  fileprivate func replace(_ entry: Entry, by versions: some Sequence<Content>) async throws {
    var entry = entry
    for version in versions {
      entry = try await storage.write(version, to: entry.path, if: .unchanged(entry.revision))
        .entry(whenCreating: entry.path)
      await Task.yield()
    }
  }

  /// Reads a file repeatedly until the task is cancelled; returns the results, nil for each time that there was no file.
  fileprivate func poll(_ path: SyncPath) async throws -> [Entry?] {
    var seen: [Entry?] = []
    while !Task.isCancelled {
      do {
        // For storages that read the state of their last listing.
        _ = try await storage.list(since: Known())
        if let entry = try await entry(of: path) { seen.append(entry) }
      } catch let error as SyncError where error.code == .cancelled {
        break
      }
      await Task.yield()
    }
    return seen
  }

  /// Reads the file: nil if it is absent, and no result if the storage cannot tell at the moment.
  private func entry(of path: SyncPath) async throws -> Entry?? {
    switch try await storage.read(file: path, into: sink) {
    case .read(let entry): return .some(entry)
    case .absent: return .some(nil)
    case .postponed: return nil
    // While a version is replaced by moves, a server may not find the file that it reads.
    case .failed(let error) where error.code == .notFound || error.code == .pathFailed: return nil
    case .failed(let error): throw error
    }
  }
}
