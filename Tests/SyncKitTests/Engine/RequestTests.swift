import SyncKitTesting
import Testing

@testable import SyncKit

/// A remote that accepts changes as requests and presents them at once.
@Suite struct RequestTests {
  /// A remote that accepts every change, and lists its path as waiting until `isAnswered`.
  private struct Asking: ReplicaAround {
    var replica: any Replica
    var waiting: [SyncPath] = []

    func list(since known: Known) async throws(SyncError) -> Snapshot {
      var snapshot = try await replica.list(since: known)
      snapshot.waiting = waiting.map { ($0, "another program must accept it") }
      return snapshot
    }

    func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
      try await replica.commit(changes).map { if case .done(let entry?) = $0 { .accepted(entry) } else { $0 } }
    }
  }

  @Test func `a requested change is agreed on at once, and waits until the remote has applied it`() async throws {
    let pair = Pair()
    await pair.agree(on: ["a": "1", "b": "1"])
    await pair.put(around: .remote) { Asking(replica: $0) }
    await pair.edit(.local, ["a": "2"])
    let first = await pair.pass()
    #expect(first.result == .waiting && first.counts.waiting == 1 && first.counts.copied == 0)
    #expect(await pair.both() == ["a": "2", "b": "1"])
    let path = try #require(SyncPath("a"))
    await pair.put(around: .remote) { Asking(replica: $0, waiting: [path]) }
    let second = await pair.pass()
    #expect(second.result == .waiting && !second.didSomething)
    #expect(second.actions.map(\.detail) == ["another program must accept it"])
    await pair.put(around: .remote, nil)
    #expect(await pair.pass().result == .synced)
    // The remote's version of the change is not a conflict: the base is what was sent.
    await pair.edit(.remote, ["a": "2, tidied"])
    #expect(await pair.pass().counts.copied == 1)
    #expect(await pair.both() == ["a": "2, tidied", "b": "1"])
  }

  @Test func `a merge that the remote accepts as a request is written to the store and waits there`() async throws {
    let pair = Pair()
    await pair.agree(on: ["a.org": "1\n"])
    await pair.put(around: .remote) { Asking(replica: $0) }
    await pair.edit(.local, ["a.org": "1\n2\n"])
    await pair.edit(.remote, ["a.org": "1\n3\n"])
    let report = await pair.pass()
    #expect(report.result == .waiting && report.counts.merged == 1 && report.counts.waiting == 1)
    #expect(report.changedStore)
    #expect(await pair.both() != nil)
  }
}
