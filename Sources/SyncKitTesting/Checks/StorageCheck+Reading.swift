import SyncKit

extension StorageCheck {
  static let reading = [
    StorageCheck(.readRevision, "a read returns the revision of its content") { checked in
      let entry = try await checked.create("a.org")
      let result = try await checked.storage.read(file: entry.path, into: checked.sink)
      guard case .read(let found) = result else { throw CheckFailure("reading a.org returned \(result)") }
      try require(found.path == entry.path, "reading a.org returned the entry of \(found.path)")
      try require(found.revision == entry.revision, "reading a.org returned another revision than the write")
      try require(found.digest == Digest(of: Array("one\n".utf8)), "reading a.org returned a wrong digest")
    },
    StorageCheck(.absence, "a missing file is absent, also in a missing folder and below a file") { checked in
      try await checked.create("file")
      for name in ["none.org", "none/a.org", "none/deeper/a.org", "file/a.org"] {
        try await checked.expect(name, holds: nil)
        let entry = try await checked.entry(at: name)
        try require(entry == nil, "the lookup of \(name) found a file that does not exist")
      }
    },
    StorageCheck(.folderIsNoFile, "a folder is not a file") { checked in
      try await checked.create("folder/a.org")
      let path = try syncPath("folder")
      let read = try await checked.storage.read(file: path, into: checked.sink)
      if case .read = read { throw CheckFailure("a folder was read as a file") }
      let looked = try await checked.storage.confirm(file: path)
      if case .present = looked { throw CheckFailure("a lookup returned a folder as a file") }
    },
    StorageCheck(.readBatch, "a batch of reads has one result for each path, in order") { checked in
      try await checked.create("a.org", "a\n")
      try await checked.create("c.org", "c\n")
      let paths = try ["c.org", "b.org", "a.org"].map(syncPath)
      let results = try await checked.storage.read(paths, into: checked.sink)
      let found = results.map { if case .read(let entry) = $0 { entry.path } else { nil } as SyncPath? }
      try require(found == [paths[0], nil, paths[2]], "reading c.org, b.org (missing) and a.org returned \(found)")
      let looked = try await checked.storage.confirm(paths).map(\.path)
      try require(
        looked == [paths[0], nil, paths[2]], "looking up c.org, b.org (missing) and a.org returned \(looked)")
    },
  ]
}

extension Presence {
  fileprivate var path: SyncPath? { if case .present(let entry) = self { entry.path } else { nil } }
}
