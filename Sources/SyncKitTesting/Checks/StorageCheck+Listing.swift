import SyncKit

extension StorageCheck {
  static let listing = [
    StorageCheck(.emptyListing, "the listing of a fresh storage is empty and complete") { checked in
      try await checked.expectNames([])
    },
    StorageCheck(.fullListing, "a listing shows every file of every folder once") { checked in
      let names = ["a", "b.org", "deep/er/est/c.org", "deep/er/d.org", "deep/e.org", "deep.org"]
      for name in names { try await checked.create(name) }
      let snapshot = try await checked.storage.list(since: Known())
      let found = snapshot.entries.map(\.path.description).sorted()
      try require(found == names.sorted(), "expected \(names.sorted()) in the listing, found \(found)")
    },
    StorageCheck(.longListing, "a listing of a thousand files is complete") { checked in
      let paths = try (0..<1000).map { try syncPath("folder \($0 % 10)/\($0).org") }
      let changes = paths.map { Change(path: $0, content: Content(Array("\($0)".utf8)), condition: .absent) }
      let results = try await checked.storage.commit(changes)
      try require(results.allSatisfy(\.isDone), "not all of a thousand files were written")
      let missing = Set(paths).subtracting(try await checked.list().keys)
      try require(
        missing.isEmpty,
        "the listing lacks \(missing.count.counted("file")), such as \(missing.min()?.description ?? "")"
      )
    },
    StorageCheck(.filteredListing, "a listing omits the files that the filter excludes") { checked in
      for name in ["a.org", "b.txt", "keep/c.org", "skip/d.org"] { try await checked.create(name) }
      let filter = PathFilter(include: ["*.org"], ignore: ["skip/"])
      let found = try await checked.list(since: Known(filter: filter)).keys.sorted().map(\.description)
      try require(found == ["a.org", "keep/c.org"], "a filter for a.org and keep/c.org listed \(found)")
    },
    StorageCheck(.informedListing, "a listing does not depend on the previous state") { checked in
      let old = try await checked.create("changed.org")
      let gone = try await checked.create("gone.org")
      try await checked.create("same.org")
      let known = try await checked.known()
      _ = try await checked.replace(old, "two\n")
      try await checked.remove(gone)
      try await checked.create("new.org")
      let (fresh, informed) = (try await checked.list(), try await checked.list(since: known))
      try require(
        fresh.mapValues(\.revision) == informed.mapValues(\.revision),
        "a listing with the previous state has \(informed.keys.sorted()) and differs from one without it")
    },
    StorageCheck(.listingAndLookup, "a listing and a lookup return the same revision") { checked in
      for name in ["a.org", "folder/b.org", "folder/deeper/c.org"] { try await checked.create(name) }
      for (path, listed) in try await checked.list() {
        let found = try await checked.entry(at: path.description)
        try require(
          found?.path == path && found?.revision == listed.revision,
          "\(path) has the revision \(listed.revision) in the listing and another one in a lookup")
      }
      let absent = try await checked.entry(at: "folder/none.org")
      try require(absent == nil, "the lookup of folder/none.org found a file that does not exist")
    },
    StorageCheck(.temporaries, "temporary files are never listed") { checked in
      for name in [".syncd-1.tmp", "a.org.syncd-x.tmp", "folder/.syncd-2.tmp", ".syncd-3.tmp/inside.org"] {
        // A storage may decline the name; the check is only whether it is listed.
        _ = try await checked.write("half\n", to: name, if: .absent)
      }
      try await checked.create("a.org")
      try await checked.expectNames(["a.org"])
    },
  ]
}

extension CheckedStorage {
  /// An engine's knowledge of the storage after a listing.
  func known() async throws -> Known {
    let snapshot = try await storage.list(since: Known())
    let agreements = snapshot.entries.map {
      Agreement(path: $0.path, digest: .empty, local: $0.revision, remote: $0.revision)
    }
    return Known(Base(agreements), on: .remote, cursor: snapshot.cursor)
  }
}
