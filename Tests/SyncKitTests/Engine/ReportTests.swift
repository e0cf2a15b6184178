import SyncKitTesting
import Synchronization
import Testing

@testable import SyncKit

@Suite("What a pass reports")
struct ReportTests {
  @Test("the worst remote decides, in the order of severity")
  func severity() {
    let order: [PassResult] = [
      .damaged, .held, .unauthorized, .unreachable, .failed, .conflicts, .timedOut, .waiting, .synced,
    ]
    #expect(PassResult.allCases.sorted(by: >) == order)
    #expect(order.map(\.exitStatus) == [7, 6, 11, 5, 4, 3, 10, 0, 0])
  }

  @Test("each error has a result")
  func errors() {
    let table: [SyncError.Code: PassResult] = [
      .unavailable: .unreachable, .unauthorized: .unauthorized, .wrongReplica: .held, .damagedState: .damaged,
      .timedOut: .timedOut, .cancelled: .timedOut, .unexpected: .failed, .noSpace: .failed, .pathFailed: .failed,
    ]
    for (code, result) in table { #expect(PassResult(SyncError(code, "")) == result) }
  }

  @Test("counts every action once, and lists as many as it may")
  func counts() {
    var report = PassReport(remote: "r", actionLimit: 3)
    for kind in Action.Kind.allCases {
      for result in Action.Result.allCases {
        report.note(Action(path: path("a"), kind: kind, to: .remote, result: result))
      }
    }
    let counts = report.counts
    #expect([counts.copied, counts.merged, counts.removed, counts.conflicts] == [1, 1, 1, 1])
    #expect([counts.held, counts.waiting, counts.failed] == [1, 5, 6])
    #expect(report.actions.count == 3)
    #expect(report.didSomething && !report.changedStore)
  }

  @Test("adds up what several passes did, and says what the last one left")
  func continued() {
    var (first, second) = (PassReport(remote: "r"), PassReport(remote: "r"))
    first.note(Action(path: path("a"), kind: .copy, to: .local, result: .done))
    first.note(Action(path: path("b"), kind: .copy, to: .local, result: .waiting))
    first.notices = ["one", "two"]
    second.note(Action(path: path("b"), kind: .copy, to: .local, result: .done))
    second.note(Action(path: path("c"), kind: .copy, to: .local, result: .failed))
    second.notices = ["two", "three"]
    let both = first.continued(by: second)
    #expect(both.counts.copied == 2 && both.counts.waiting == 0 && both.counts.failed == 1)
    #expect(both.actions.map(\.path.description) == ["a", "b", "c"])
    #expect(both.notices == ["one", "two", "three"])
  }
}

@Suite("A run over all remotes of a store")
struct SyncRunTests {
  @Test("brings what one remote has to all others")
  func spreads() async throws {
    let store = MemoryReplica(address: "store", identity: "disk")
    let archive = MemoryArchive()
    let pairs = ["one", "two", "three"].map { name in
      Pair(store: store, remote: MemoryReplica(address: name), archive: archive, name: name)
    }
    for (number, pair) in pairs.enumerated() { await pair.edit(.remote, ["\(number)": "\(number)"]) }
    var parts: [PassParts] = []
    for pair in pairs { parts.append(await pair.parts) }
    let reports = await SyncRun(parts).run()
    #expect(reports.map(\.remote) == ["one", "two", "three"])
    #expect(reports.allSatisfy { $0.result == .synced })
    for pair in pairs { #expect(await pair.both()?.count == 3) }
    let again = await SyncRun(parts).run()
    #expect(again.allSatisfy { !$0.didSomething })
  }

  @Test("ends after three rounds, however much is left")
  func rounds() async throws {
    let pair = Pair()
    await pair.edit(.local, ["a": "1"])
    let count = Mutex(0)
    await pair.put(around: .remote) { replica in
      Interference(
        replica: replica,
        answer: { _ in
          count.withLock { $0 += 1 }
          return .refused(nil)
        })
    }
    let reports = await SyncRun([await pair.parts]).run()
    #expect(count.withLock { $0 } == 3)
    #expect(reports.count == 1 && reports[0].wantsAnotherPass && reports[0].counts.waiting == 1)
  }

  @Test("does not let one remote's trouble stop the others")
  func trouble() async throws {
    let store = MemoryReplica(address: "store", identity: "disk")
    let archive = MemoryArchive()
    let good = Pair(store: store, archive: archive, name: "good")
    await good.edit(.local, ["a": "1"])
    var bad = await Pair(store: store, archive: archive, name: "bad").parts
    bad.remote = StorageReplica(
      FaultyStorage(MemoryStorage(), plan: .every(.unreachable)), .inMemory(storage: MemoryStorage()))
    let reports = await SyncRun([bad, await good.parts]).run()
    #expect(reports.map(\.result) == [.unreachable, .synced])
    #expect(await good.both() == ["a": "1"])
  }
}
