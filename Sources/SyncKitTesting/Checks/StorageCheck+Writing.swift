import SyncKit

extension StorageCheck {
  static let writing = [
    StorageCheck(.write, "a written file exists with its content") { checked in
      let entry = try await checked.create("folder/a.org", "* Heading\n")
      try await checked.expect("folder/a.org", holds: "* Heading\n")
      try await checked.expectNames(["folder/a.org"])
      try require(entry.size == 10, "a file of 10 bytes was reported with a size of \(entry.size)")
    },
    StorageCheck(.replacement, "a write on the current revision replaces the file") { checked in
      let one = try await checked.create("a.org")
      let two = try await checked.replace(one, "two\n")
      _ = try await checked.replace(two, "three\n")
      try await checked.expect("a.org", holds: "three\n")
    },
    StorageCheck(.createExisting, "a creation of an existing file is refused and changes nothing") { checked in
      let one = try await checked.create("a.org")
      try await checked.write("two\n", to: "a.org", if: .absent)
        .expectRefused(becauseOf: one.revision, "a second create")
      try await checked.expect("a.org", holds: "one\n")
    },
    StorageCheck(.staleWrite, "a write on a stale revision is refused and changes nothing") { checked in
      let one = try await checked.create("a.org")
      let two = try await checked.replace(one, "two\n")
      try await checked.write("lost\n", to: "a.org", if: .unchanged(one.revision))
        .expectRefused(becauseOf: two.revision, "a write on a stale revision")
      try await checked.expect("a.org", holds: "two\n")
    },
    StorageCheck(.writeAfterRemoval, "a write on a removed file is refused and creates nothing") { checked in
      let one = try await checked.create("a.org")
      try await checked.remove(one)
      try await checked.write("two\n", to: "a.org", if: .unchanged(one.revision))
        .expectRefused(becauseOf: nil, "a write on a removed file")
      try await checked.expectNames([])
    },
    StorageCheck(.repeatedWrite, "a write that is repeated after a lost response changes nothing") { checked in
      let one = try await checked.create("a.org")
      _ = try await checked.replace(one, "two\n")
      let again = try await checked.write("two\n", to: "a.org", if: .unchanged(one.revision))
      if case .failed = again { throw CheckFailure("a repeated write returned \(again)") }
      _ = try await checked.write("one\n", to: "a.org", if: .absent)
      try await checked.expect("a.org", holds: "two\n")
      try await checked.expectNames(["a.org"])
    },
    StorageCheck(.emptyFile, "a file may be empty") { checked in
      let empty = try await checked.create("empty.org", "")
      try await checked.expect("empty.org", holds: "")
      try await checked.expectNames(["empty.org"])
      let full = try await checked.replace(empty, "full\n")
      _ = try await checked.replace(full, "")
      try await checked.expect("empty.org", holds: "")
    },
    StorageCheck(.oneByteFile, "a file may consist of any one byte") { checked in
      for byte in [0x00, 0x0A, 0x0D, 0x1A, 0x80, 0xFF] as [UInt8] {
        let path = try syncPath("byte-\(byte)")
        try await checked.create(path, Content([byte]))
        let found = try await checked.bytes(of: path)
        try require(found == [byte], "the byte \(byte) was read as \(found ?? [])")
      }
    },
    StorageCheck(.largeFile, "a file of several mebibytes is read back unaltered") { checked in
      let content = LongContent.whole(mebibytes: 5)
      let path = try syncPath("large.bin")
      let entry = try await checked.create(path, content)
      try require(
        entry.size == content.size,
        "\(content.size.counted("byte")) were sent, and the file has a size of \(entry.size)")
      let result = try await checked.storage.read(file: path, into: checked.sink)
      guard case .read(let found) = result else { throw CheckFailure("reading a large file returned \(result)") }
      try require(found.digest == content.digest, "a large file was altered")
      try require(try await checked.content(of: found).count == content.size, "a large file was truncated")
    },
    StorageCheck(.fileOrFolder, "a folder does not replace a file of its name, nor a file a folder") { checked in
      try await checked.create("a")
      _ = try await checked.write("two\n", to: "a/b", if: .absent)
      try await checked.expect("a", holds: "one\n")
      try await checked.create("c/d")
      _ = try await checked.write("two\n", to: "c", if: .absent)
      try await checked.expect("c/d", holds: "one\n")
    },
    StorageCheck(.batch, "a batch has one result for each change, in order") { checked in
      let old = try await checked.create("old.org")
      try await checked.create("there.org")
      let changes = [
        try change("new.org", "new\n", if: .absent),
        try change("there.org", "lost\n", if: .absent),
        try change("old.org", nil, if: .unchanged(old.revision)),
        try change("other.org", "other\n", if: .absent),
      ]
      let done = try await checked.storage.commit(changes).map(\.isDone)
      try require(done == [true, false, true, true], "a batch whose second change fails returned \(done)")
      try await checked.expectNames(["new.org", "other.org", "there.org"])
      try await checked.expect("there.org", holds: "one\n")
    },
    StorageCheck(.folderForFile, "a batch can replace a file by a folder") { checked in
      let old = try await checked.create("a")
      let changes = [
        try change("a/b.org", "two\n", if: .absent), try change("a", nil, if: .unchanged(old.revision)),
      ]
      let results = try await checked.storage.commit(changes)
      try require(results.allSatisfy(\.isDone), "replacing a file by a folder returned \(results)")
      try await checked.expectNames(["a/b.org"])
    },
  ]

  private static func change(_ path: String, _ text: String?, if condition: Condition) throws -> Change {
    Change(path: try syncPath(path), content: text.map { Content(Array($0.utf8)) }, condition: condition)
  }
}
