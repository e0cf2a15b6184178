import SyncKit

extension StorageCheck {
  static let removing = [
    StorageCheck(.removal, "a removal removes exactly one file") { checked in
      let names = ["a", "a.org", "a.org.bak", "folder/a.org"]
      for name in names where name != "a.org" { try await checked.create(name) }
      try await checked.remove(try await checked.create("a.org"))
      try await checked.expect("a.org", holds: nil)
      try await checked.expectNames(["a", "a.org.bak", "folder/a.org"])
    },
    StorageCheck(.staleRemoval, "a removal on a stale revision is refused and changes nothing") { checked in
      let one = try await checked.create("a.org")
      let two = try await checked.replace(one, "two\n")
      try await checked.storage.remove(two.path, if: .unchanged(one.revision))
        .expectRefused(becauseOf: two.revision, "a removal on a stale revision")
      try await checked.expect("a.org", holds: "two\n")
    },
    StorageCheck(.repeatedRemoval, "a removal of a missing file is refused and changes nothing") { checked in
      try await checked.create("other.org")
      let one = try await checked.create("a.org")
      try await checked.remove(one)
      try await checked.storage.remove(one.path, if: .unchanged(one.revision))
        .expectRefused(becauseOf: nil, "a removal of a removed file")
      try await checked.expectNames(["other.org"])
    },
    StorageCheck(.removesFolders, "an emptied folder is not listed, and a file can replace it") { checked in
      let inner = try await checked.create("a/b/c.org")
      try await checked.remove(inner)
      try await checked.expectNames([])
      try await checked.create("a")
      try await checked.expect("a", holds: "one\n")
    },
    StorageCheck(.recreation, "a file that was removed can be created again") { checked in
      try await checked.remove(try await checked.create("a.org"))
      try await checked.create("a.org", "two\n")
      try await checked.expect("a.org", holds: "two\n")
      try await checked.expectNames(["a.org"])
    },
  ]
}
