import SyncKit

extension ReplicaCheck {
  static let ofReplicas = [
    ReplicaCheck(.claim, "a claim returns an identity, which never changes") { replica, checked in
      let claimed = try await replica.claim()
      try require(claimed.id?.isEmpty == false, "the claim returned no identity")
      try await checked.create("a.org")
      let (again, seen) = (try await replica.claim(), try await replica.snapshot(since: Known()).root)
      try require(again.id == claimed.id, "the second claim returned another identity")
      try require(seen.id == claimed.id, "the snapshot and the claim have different identities")
      try require(seen.address == claimed.address, "the snapshot and the claim have different addresses")
    },
    ReplicaCheck(.agreements, "agreements can be recorded twice and change nothing") { replica, checked in
      let entry = try await checked.create("a.org")
      let digest = Digest(of: Array("one\n".utf8))
      let agreement = Agreement(path: entry.path, digest: digest, local: entry.revision, remote: entry.revision)
      try await replica.recorded([agreement])
      try await replica.recorded([agreement])
      try await checked.expect("a.org", holds: "one\n")
      let revision = try await checked.entry(at: "a.org")?.revision
      try require(revision == entry.revision, "an agreement changed a file's revision")
    },
    ReplicaCheck(.stamp, "a stamped generation is returned with the identity, or stamps are not supported") {
      replica, checked in
      try await checked.create("a.org")
      let before = try await replica.snapshot(since: Known()).root
      for generation in [7, 8, 8] {
        let isKept = try await replica.stamp(generation: generation)
        let root = try await replica.snapshot(since: Known()).root
        try require(root.id == before.id, "a stamp changed the identity")
        try require(
          root.generation == (isKept ? generation : nil),
          "generation \(generation) was \(isKept ? "" : "not ")stamped, and \(root.generation ?? 0) was returned")
      }
      try await checked.expectNames(["a.org"])
    },
    ReplicaCheck(.swap, "a batch can swap two files") { replica, checked in
      let (a, b) = (try await checked.create("a.org", "a\n"), try await checked.create("b.org", "b\n"))
      let results = try await replica.commit([change(a, from: "a\n", to: "b\n"), change(b, from: "b\n", to: "a\n")])
      try require(results.allSatisfy(\.isDone), "swapping two files returned \(results)")
      try await checked.expect("a.org", holds: "b\n")
      try await checked.expect("b.org", holds: "a\n")
    },
    ReplicaCheck(.move, "a batch can move a file") { replica, checked in
      let old = try await checked.create("old.org")
      let new = try syncPath("folder/new.org")
      let creation = Change(path: new, content: Content(Array("one\n".utf8)), condition: .absent)
      let results = try await replica.commit([creation, change(old, from: "one\n", to: nil)])
      try require(results.allSatisfy(\.isDone), "moving a file returned \(results)")
      try await checked.expectNames(["folder/new.org"])
      try await checked.expect("folder/new.org", holds: "one\n")
    },
    ReplicaCheck(.refusalInBatch, "a refused change does not affect the rest of its batch") { replica, checked in
      let old = try await checked.create("old.org")
      let newer = try await checked.replace(old, "two\n")
      let creation = Change(path: try syncPath("new.org"), content: Content([]), condition: .absent)
      let results = try await replica.commit([creation, change(old, from: "one\n", to: nil)])
      try require(
        results.count == 2 && results[0].isDone, "a creation in one batch with a refused removal returned \(results)")
      try results[1].expectRefused(becauseOf: newer.revision, "a removal on a stale revision")
      try await checked.expect("old.org", holds: "two\n")
    },
  ]

  private static func change(_ entry: Entry, from old: String, to new: String?) -> Change {
    Change(
      path: entry.path, content: new.map { Content(Array($0.utf8)) }, condition: .unchanged(entry.revision),
      replaced: Content(Array(old.utf8)))
  }
}
