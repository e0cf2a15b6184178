import SyncKit

extension StorageCheck {
  static let roots = [
    StorageCheck(.missingRoot, "a missing root is reported as missing, or the root always exists") { checked in
      let storage = try await checked.bench.handles().one
      do throws(SyncError) {
        let listing = try await storage.list(since: Known())
        guard listing.isEmpty else { throw SyncError(.unexpected, "the listing has files that were never written") }
      } catch {
        try require(error.code == .notFound, "listing a storage without a root threw \(error.code): \(error)")
        try await storage.expectNothing(at: try syncPath("a.org"))
      }
      try await storage.createRoot()
      try await storage.createRoot()
      try require(try await storage.list(since: Known()).isEmpty, "a storage with a new root is not empty")
    },
    StorageCheck(.repeatedRoot, "creating an existing root changes no files") { checked in
      try await checked.create("a.org")
      try await checked.storage.createRoot()
      try await checked.expect("a.org", holds: "one\n")
    },
  ]

  static let programFiles = [
    StorageCheck(.marker, "the marker is written and read by name, and never listed") { checked in
      let marker = try await checked.create(ReservedName.marker, "id\n")
      try await checked.expect(ReservedName.marker, holds: "id\n")
      _ = try await checked.replace(marker, "id 2\n")
      try await checked.expect(ReservedName.marker, holds: "id 2\n")
      try await checked.create("a.org")
      try await checked.expectNames(["a.org"])
    }
  ]

  static let errors = [
    StorageCheck(.unreachable, "an unreachable storage is never mistaken for an empty one") { checked in
      guard let unreachable = try await checked.bench.unreachable?() else { return }
      try await unreachable.expectSilence(about: try syncPath("a.org"))
    },
    StorageCheck(.secrets, "no address, error or refusal contains a secret") { checked in
      let entry = try await checked.create("a.org")
      let places = [checked.storage, try await checked.bench.handles().one, try await checked.bench.unreachable?()]
      for storage in places.compactMap(\.self) {
        let said = await storage.complaints(about: entry)
        let leak = checked.bench.secrets.first { secret in said.contains { $0.contains(secret) } }
        try require(leak == nil, "a secret that begins with \(leak?.prefix(2) ?? "") appears in an address or message")
      }
    },
  ]
}

extension Snapshot {
  fileprivate var isEmpty: Bool { count == 0 && isComplete && unread.isEmpty }
}

extension Storage {
  fileprivate var sink: any ContentSink { MemoryContents().intake(keepingAtMost: .max) }

  /// Requires that a storage without a root reports no file.
  fileprivate func expectNothing(at path: SyncPath) async throws {
    if case .present = try? await confirm(file: path) {
      throw CheckFailure("a file was found in a storage without a root")
    }
    if case .read = try? await read(file: path, into: sink) {
      throw CheckFailure("a file was read from a storage without a root")
    }
  }

  /// Requires that an unreachable storage reports neither presence nor absence.
  fileprivate func expectSilence(about path: SyncPath) async throws {
    let content = Content(Array("one\n".utf8))
    do throws(SyncError) {
      _ = try await list(since: Known())
      throw SyncError(.notFound, "the listing succeeded")
    } catch {
      try require(error.code != .notFound, "listing an unreachable storage threw \(error.code): \(error)")
    }
    switch try? await read(file: path, into: sink) {
    case .absent, .read: throw CheckFailure("an unreachable storage returned the content of a file")
    case .postponed, .failed, nil: break
    }
    switch try? await confirm(file: path) {
    case .absent, .present: throw CheckFailure("an unreachable storage returned the result of a lookup")
    case .postponed, .unknown, nil: break
    }
    for result in [try? await write(content, to: path, if: .absent), try? await remove(path, if: .absent)] {
      switch result {
      case .done, .accepted, .refused, .cannot:
        throw CheckFailure("an unreachable storage returned the result of a change")
      case .postponed, .unknown, .failed, nil: break
      }
    }
  }

  /// The storage's answers to impossible requests.
  fileprivate func complaints(about entry: Entry) async -> [String] {
    let stale = Condition.unchanged(Revision("no such revision"))
    let content = Content(Array("two\n".utf8))
    let broken = BrokenContent.stopping { () throws(SyncError) in
      throw SyncError(.pathFailed, "the rest of the file is unreadable")
    }
    var said = [address, await answer { () throws(SyncError) in try await self.list(since: Known()) }]
    for path in [entry.path] + HostileNames.all.compactMap({ SyncPath(bytes: $0) }).suffix(8) {
      said += [
        await answer { () throws(SyncError) in try await self.write(content, to: path, if: stale) },
        await answer { () throws(SyncError) in try await self.write(broken, to: path, if: .absent) },
        await answer { () throws(SyncError) in try await self.remove(path, if: stale) },
        await answer { () throws(SyncError) in try await self.confirm(file: path) },
        await answer { () throws(SyncError) in try await self.read(file: path, into: self.sink) },
      ]
    }
    return said
  }
}

/// All text that a call returns in its result or its error.
private func answer<Value>(_ call: () async throws(SyncError) -> Value) async -> String {
  var text = ""
  do throws(SyncError) { dump(try await call(), to: &text) } catch { dump(error, to: &text) }
  return text
}
