import SyncKit

extension StorageCheck {
  static let writing = [
    StorageCheck(.write, "a written file is there with its content") { checked in
      let entry = try await checked.create("folder/a.org", "* Heading\n")
      try await checked.expect("folder/a.org", holds: "* Heading\n")
      try await checked.expectNames(["folder/a.org"])
      try require(entry.size == 10, "a file of 10 bytes is said to have \(entry.size)")
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
    StorageCheck(.writeAfterRemoval, "a write on a file that is gone is refused and creates nothing") { checked in
      let one = try await checked.create("a.org")
      try await checked.remove(one)
      try await checked.write("two\n", to: "a.org", if: .unchanged(one.revision))
        .expectRefused(becauseOf: nil, "a write on a file that is gone")
      try await checked.expectNames([])
    },
    StorageCheck(.repeatedWrite, "a write that is repeated after its answer was lost changes nothing") { checked in
      let one = try await checked.create("a.org")
      _ = try await checked.replace(one, "two\n")
      let again = try await checked.write("two\n", to: "a.org", if: .unchanged(one.revision))
      if case .failed = again { throw CheckFailure("a repeated write gave \(again)") }
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
    StorageCheck(.oneByteFile, "a file may be one byte long, whichever byte it is") { checked in
      for byte in [0x00, 0x0A, 0x0D, 0x1A, 0x80, 0xFF] as [UInt8] {
        let path = try syncPath("byte-\(byte)")
        try await checked.create(path, Content([byte]))
        let found = try await checked.bytes(of: path)
        try require(found == [byte], "the byte \(byte) came back as \(found ?? [])")
      }
    },
    StorageCheck(.largeFile, "a file of several mebibytes comes back unaltered") { checked in
      let content = LongContent.whole(mebibytes: 5)
      let path = try syncPath("large.bin")
      let entry = try await checked.create(path, content)
      try require(
        entry.size == content.size, "\(content.size.counted("byte")) were sent, and the file has \(entry.size)")
      let result = try await checked.storage.read(file: path, into: checked.sink)
      guard case .read(let found) = result else { throw CheckFailure("reading a large file gave \(result)") }
      try require(found.digest == content.digest, "a large file came back altered")
      try require(try await checked.content(of: found).count == content.size, "a large file came back cut")
    },
    StorageCheck(.fileOrFolder, "a file is not replaced by a folder of its name, nor a folder by a file") { checked in
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
      try require(done == [true, false, true, true], "a batch of which the second fails gave \(done)")
      try await checked.expectNames(["new.org", "other.org", "there.org"])
      try await checked.expect("there.org", holds: "one\n")
    },
    StorageCheck(.folderForFile, "a batch can put a folder where a file was") { checked in
      let old = try await checked.create("a")
      let changes = [
        try change("a/b.org", "two\n", if: .absent), try change("a", nil, if: .unchanged(old.revision)),
      ]
      let results = try await checked.storage.commit(changes)
      try require(results.allSatisfy(\.isDone), "putting a folder where a file was gave \(results)")
      try await checked.expectNames(["a/b.org"])
    },
  ]

  private static func change(_ path: String, _ text: String?, if condition: Condition) throws -> Change {
    Change(path: try syncPath(path), content: text.map { Content(Array($0.utf8)) }, condition: condition)
  }
}
