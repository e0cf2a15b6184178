import SyncKit

extension StorageCheck {
  static let revisions = [
    StorageCheck(.sameRevision, "a write, a listing and a lookup return the same revision") { checked in
      var entry = try await checked.create("a.org")
      for text in ["two\n", "three\n"] {
        entry = try await checked.replace(entry, text)
        let listed = try await checked.list()[entry.path]
        let looked = try await checked.entry(at: "a.org")
        try require(
          listed?.revision == entry.revision && looked?.revision == entry.revision,
          "the write returned \(entry.revision), the listing \(listed?.revision.description ?? "nothing"), "
            + "the lookup \(looked?.revision.description ?? "nothing")")
      }
    },
    StorageCheck(.firmRevision, "a revision changes with the content, or is not declared firm") { checked in
      var entry = try await checked.create("a.org", "text 00\n")
      var seen = [entry]
      for number in 10..<30 {
        entry = try await checked.replace(entry, "text \(number)\n")
        if let listed = try await checked.list()[entry.path] { seen.append(listed) }
      }
      let firm = seen.filter(\.isFirm).map(\.revision)
      try require(
        Set(firm).count == firm.count, "successive contents of the same size have the same firm revision")
    },
    StorageCheck(.stableRevision, "a revision does not change without a write") { checked in
      for name in ["a.org", "folder/b.org"] { try await checked.create(name) }
      let before = try await checked.list().mapValues(\.revision)
      for name in ["a.org", "folder/b.org"] { _ = try await checked.text(of: name) }
      let after = try await checked.list().mapValues(\.revision)
      try require(before == after, "revisions changed without a write")
    },
    StorageCheck(.digest, "a digest that is returned without reading is correct") { checked in
      let entry = try await checked.create("a.org")
      let digest = Digest(of: Array("one\n".utf8))
      for told in [entry, try await checked.list()[entry.path], try await checked.entry(at: "a.org")] {
        try require(told?.digest == nil || told?.digest == digest, "an entry's digest does not match its content")
      }
    },
  ]
}
