import SyncKit

extension StorageCheck {
  static let names = [
    StorageCheck(.hostileNames, "a hostile name is returned byte for byte, or declined") { checked in
      let paths = HostileNames.all.compactMap { SyncPath(bytes: $0) }
      try await checked.expectRoundTrip(of: paths)
    },
    StorageCheck(.hostileFolders, "a folder with a hostile name is returned byte for byte, or declined") { checked in
      let inside = Array("/inside.org".utf8)
      let paths = HostileNames.all.compactMap { SyncPath(bytes: Array("in/".utf8) + $0 + inside) }
      try await checked.expectRoundTrip(of: paths)
    },
    StorageCheck(.namingRules, "names that the naming rules forbid are declined") { checked in
      let rules = try await checked.storage.capabilities().naming
      for path in HostileNames.all.compactMap({ SyncPath(bytes: $0) }) where rules.violation(by: path) != nil {
        let result = try await checked.storage.write(Content(path.bytes), to: path, if: .absent)
        try require(result.declines, "\(path) violates the storage's naming rules, and writing it returned \(result)")
      }
      try await checked.expectNames([])
    },
    StorageCheck(
      .similarNames, "similar names are separate files if the rules distinguish them, otherwise one is declined"
    ) { checked in
      let rules = try await checked.storage.capabilities().naming
      for (one, other) in [("a.org", "A.org"), ("\u{E9}.org", "e\u{301}.org"), ("dir/b.org", "DIR/b.org")] {
        let (path, twin) = (try syncPath(one), try syncPath(other))
        try await checked.create(one, "one\n")
        let second = try await checked.write("two\n", to: other, if: .absent)
        let collide = path.collisionKey(under: rules) == twin.collisionKey(under: rules)
        try require(collide ? second.declines : second.isDone, "writing \(twin) beside \(path) returned \(second)")
        try await checked.expect(one, holds: "one\n")
        if !collide { try await checked.expect(other, holds: "two\n") }
      }
    },
    StorageCheck(.exactLookup, "a lookup never finds a file of another name") { checked in
      for (one, other) in [("a.org", "A.org"), ("\u{E9}.org", "e\u{301}.org"), ("b.org", "b.org "), ("c%41", "cA")] {
        try await checked.create(one)
        if case .present = try await checked.storage.confirm(file: try syncPath(other)) {
          throw CheckFailure("the lookup of \(other), which does not exist, found \(one)")
        }
      }
    },
  ]
}

extension CheckedStorage {
  /// Writes every path with its own content, which must be returned unchanged, or be declined without a trace.
  fileprivate func expectRoundTrip(of paths: [SyncPath]) async throws {
    var stored: [SyncPath] = []
    for path in paths {
      let result = try await storage.write(Content(path.bytes), to: path, if: .absent)
      try require(result.isDone || result.declines, "writing \(path) returned \(result)")
      if result.isDone { stored.append(path) }
    }
    try await expectListing(of: stored)
    for path in stored {
      let found = try await bytes(of: path)
      try require(found == path.bytes, "reading \(path) returned the content of \(printable(found ?? []))")
    }
  }

  private func expectListing(of paths: [SyncPath]) async throws {
    let listed = Set(try await list().keys)
    let (missing, strange) = (Set(paths).subtracting(listed), listed.subtracting(paths))
    try require(
      missing.isEmpty && strange.isEmpty,
      "the listing lacks \(missing.sorted()) and has \(strange.sorted()), which were never written")
  }
}
