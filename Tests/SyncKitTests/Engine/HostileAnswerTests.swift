import SyncKitTesting
import Testing

@testable import SyncKit

/// SyncKit's handling of answers that no correct backend gives. Nothing is lost, whatever a remote answers.
@Suite("Hostile and faulty responses")
struct HostileAnswerTests {
  struct Answer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// True if the pass must end with `.unexpected`.
    let isRefused: Bool
    let spoil: @Sendable (inout HostileReplica) -> Void

    init(_ what: String, isRefused: Bool, _ spoil: @escaping @Sendable (inout HostileReplica) -> Void) {
      (testDescription, self.isRefused, self.spoil) = (what, isRefused, spoil)
    }
  }

  static let answers = [
    Answer("a listing with each path twice", isRefused: false) {
      $0.onList = { entries in
        entries
          + entries.map { entry in
            var entry = entry
            entry.revision = Revision("x")
            return entry
          }
      }
    },
    Answer("a listing in another order", isRefused: false) { $0.onList = { $0.reversed() } },
    Answer("a listing with sizes that no file has", isRefused: false) {
      $0.onList = { entries in
        entries.enumerated().map { index, entry in
          var entry = entry
          entry.size = index % 2 == 0 ? .max : -1
          return entry
        }
      }
    },
    Answer("a listing with digests that are not those of the contents", isRefused: false) {
      $0.onList = { entries in
        entries.map { entry in
          var entry = entry
          entry.digest = Digest(of: Array("claimed".utf8))
          return entry
        }
      }
    },
    Answer("results of reading in another order", isRefused: true) { $0.onRead = { $0.reversed() } },
    Answer("too few results of reading", isRefused: true) { $0.onRead = { $0.dropLast() } },
    Answer("too many results of reading", isRefused: true) { $0.onRead = { $0 + $0 } },
    Answer("read sizes that no file has", isRefused: false) {
      $0.onRead = { results in
        results.map { result in
          guard case .read(var entry) = result else { return result }
          entry.size = -1
          return .read(entry)
        }
      }
    },
    Answer("digests of what was not read", isRefused: false) {
      $0.onRead = { results in
        results.map { result in
          guard case .read(var entry) = result else { return result }
          entry.digest = Digest(of: Array("claimed".utf8))
          return .read(entry)
        }
      }
    },
    Answer("lookups in another order", isRefused: false) { $0.onConfirm = { $0.reversed() } },
    Answer("too few lookups", isRefused: true) { $0.onConfirm = { $0.dropLast() } },
    Answer("results of writing in another order", isRefused: true) { $0.onCommit = { $0.reversed() } },
    Answer("too few results of writing", isRefused: true) { $0.onCommit = { $0.dropLast() } },
  ]

  @Test(
    "a bad response loses nothing, and the next pass with correct responses brings both sides in sync",
    arguments: answers)
  func answer(answer: Answer) async throws {
    let pair = Pair()
    await pair.agree(on: ["a": "1", "b": "2", "c": "3", "d": "4", "e": "5"])
    await pair.edit(.remote, ["a": "1, there", "b": "2, there", "c": nil, "new": "there"])
    await pair.edit(.local, ["d": "4, here", "e": "5, here", "other": "here"])
    await pair.put(around: .remote) { replica in
      var hostile = HostileReplica(replica: replica)
      answer.spoil(&hostile)
      return hostile
    }
    let report = await pair.pass()
    if answer.isRefused { #expect(report.failure?.code == .unexpected, "\(report)") }
    #expect(await pair.lost() == [])
    let local = await pair.texts(.local)
    #expect(["1", "1, there"].contains(local["a"]) && ["2", "2, there"].contains(local["b"]))
    await pair.put(around: .remote, nil)
    #expect(await pair.passes().isQuiet)
    #expect(await pair.lost() == [])
    let both = try #require(await pair.both())
    #expect(both["a"] == "1, there" && both["b"] == "2, there" && both["new"] == "there")
    #expect(both["d"] == "4, here" && both["e"] == "5, here" && both["other"] == "here" && both["c"] == nil)
  }

  private static let names = ["../up", "..", ".", "/root", "a//b", "a/", "", "a/../b", "a/./b", "a\0b"]

  @Test("a listed name that leads out of the replica is ignored, and the listing proves no absence", arguments: names)
  func climbing(name: String) {
    #expect(SyncPath(name) == nil)
    var builder = SnapshotBuilder(since: Known())
    builder.add(path: Array(name.utf8), revision: [1], isFirm: true, size: 1, modified: nil)
    let snapshot = builder.finish(root: RootIdentity(address: "test:", id: nil))
    #expect(snapshot.count == 0 && !snapshot.isComplete)
  }

  @Test("a name with control characters is valid, and is escaped in all output")
  func controlCharacters() throws {
    let path = try #require(SyncPath("a\u{1B}[2J\n.org"))
    #expect(!path.description.utf8.contains { $0 < 0x20 })
    #expect(SyncPath("...") != nil && SyncPath("..a/.b") != nil)
  }
}

/// A replica whose answers a test alters.
struct HostileReplica: ReplicaAround {
  let replica: any Replica
  var onList: @Sendable ([Entry]) -> [Entry] = { $0 }
  var onRead: @Sendable ([ReadResult]) -> [ReadResult] = { $0 }
  var onConfirm: @Sendable ([Presence]) -> [Presence] = { $0 }
  var onCommit: @Sendable ([WriteResult]) -> [WriteResult] = { $0 }

  init(replica: any Replica) { self.replica = replica }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    let listing = try await replica.list(since: Known())
    var builder = SnapshotBuilder(since: known)
    for entry in onList(listing.entries) { builder.add(entry) }
    return builder.finish(root: listing.root)
  }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    onRead(try await replica.read(paths, into: sink))
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    onConfirm(try await replica.confirm(paths))
  }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    onCommit(try await replica.commit(changes))
  }
}
