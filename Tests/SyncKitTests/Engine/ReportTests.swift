import SyncKitTesting
import Synchronization
import Testing

@testable import SyncKit

@Suite("The report of a pass")
struct ReportTests {
  @Test("a reason does not repeat the file name")
  func reason() {
    for detail in ["a.org: is open", "a.org is open", "is open"] {
      #expect(Action(path: path("a.org"), kind: .copy, to: .local, result: .failed, detail: detail).detail == "is open")
    }
    let other = Action(path: path("a.org"), kind: .copy, to: .local, result: .failed, detail: "a.orgs is open")
    #expect(other.detail == "a.orgs is open")
  }

  @Test("the worst remote decides the result, in the order of severity")
  func severity() {
    let order: [PassResult] = [
      .damaged, .held, .unauthorized, .unreachable, .failed, .conflicts, .timedOut, .unsettled, .waiting, .synced,
    ]
    #expect(PassResult.allCases.sorted(by: >) == order)
  }

  @Test("each error has a result")
  func errors() {
    let table: [SyncError.Code: PassResult] = [
      .unavailable: .unreachable, .unauthorized: .unauthorized, .wrongReplica: .held, .suspect: .held,
      .damagedState: .damaged, .otherVersion: .damaged,
      .timedOut: .timedOut, .cancelled: .timedOut, .unexpected: .failed, .noSpace: .failed, .pathFailed: .failed,
    ]
    for (code, result) in table { #expect(PassResult(SyncError(code, "")) == result) }
  }

  @Test("an error concerns one path, one request or the pass, and a damaged archive can be moved aside")
  func reach() {
    let nearer: [SyncError.Code: SyncError.Reach] = [
      .notFound: .path, .changedMeanwhile: .path, .pathFailed: .path, .suspect: .path, .unavailable: .request,
      .unexpected: .request,
    ]
    for code in SyncError.Code.allCases {
      #expect(SyncError(code, "").reach == nearer[code] ?? .pass)
      #expect(SyncError(code, "").remedy == (code == .damagedState ? .moveStateAside : nil))
      #expect(SyncError(code, "", remedy: .rekey(remote: "r")).remedy == .rekey(remote: "r"))
    }
  }

  @Test("the program can choose how a detail describes an error")
  func describes() async throws {
    let pair = Pair()
    await pair.agree(on: ["a": "1"])
    await pair.edit(.local, ["a": "2"])
    let error = SyncError(.pathFailed, "it is broken", remedy: .restore(path("a")))
    await pair.put(around: .remote) { Interference(replica: $0, answer: { _ in .failed(error) }) }
    var parts = await pair.parts
    #expect(await SyncPass(parts).run().actions.map(\.detail) == ["it is broken"])
    parts.options.describe = { "\($0.message), says \($0.remedy.map { "\($0)" } ?? "no one")" }
    #expect(await SyncPass(parts).run().actions.map(\.detail) == ["it is broken, says restore(a)"])
  }

  @Test("every action is counted once, and listed up to the limit")
  func counts() {
    var report = PassReport(remote: "r", actionLimit: 3)
    for kind in Action.Kind.allCases {
      for result in Action.Result.allCases {
        report.record(Action(path: path("a"), kind: kind, to: .remote, result: result))
      }
    }
    let counts = report.counts
    #expect([counts.copied, counts.merged, counts.removed, counts.conflicts] == [1, 1, 1, 1])
    #expect([counts.held, counts.waiting, counts.failed] == [1, 5, 6])
    #expect(report.actions.count == 3)
    #expect(report.effects == Dictionary(uniqueKeysWithValues: Action.Kind.allCases.map { (.init($0, .remote), 1) }))
    #expect(report.didSomething && !report.changedStore)
  }

  @Test("a summary adds up several passes, and has the state after the last one")
  func continued() {
    var (first, second) = (PassReport(remote: "r"), PassReport(remote: "r"))
    first.record(Action(path: path("a"), kind: .copy, to: .local, result: .done))
    first.record(Action(path: path("b"), kind: .copy, to: .local, result: .waiting))
    first.notices = ["one", "two"]
    second.record(Action(path: path("b"), kind: .copy, to: .local, result: .done))
    second.record(Action(path: path("c"), kind: .copy, to: .local, result: .failed))
    second.notices = ["two", "three"]
    let both = first.continued(by: second)
    #expect(both.counts.copied == 2 && both.counts.waiting == 0 && both.counts.failed == 1)
    #expect(both.effects == [.init(.copy, .local): 2])
    #expect(both.actions.map(\.path.description) == ["a", "b", "c"])
    #expect(both.notices == ["one", "two", "three"])
  }
}

@Suite("A run over all remotes of a store")
struct SyncRunTests {
  @Test("changes of one remote reach all others")
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

  @Test("a run ends after three rounds, however much is left")
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
    #expect(reports[0].result == .unsettled)
  }

  @Test("a run waits for second checks with growing pauses", arguments: ["read", "confirm"])
  func secondLook(verb: String) async throws {
    let pair = Pair()
    await pair.agree(on: ["a": "1", "b": "2"])
    await pair.edit(.remote, verb == "read" ? ["a": "1!"] : ["a": nil])
    let looks = Mutex(0)
    let isEarly: @Sendable () -> Bool = {
      looks.withLock {
        $0 += 1
        return $0 < 6
      }
    }
    await pair.put(around: .remote) { replica in
      var interference = Interference(replica: replica)
      interference.reading = { _ in verb == "read" && isEarly() ? .postponed("it is being written") : nil }
      interference.presence = { _ in verb == "confirm" && isEarly() ? .postponed("it was there a moment ago") : nil }
      return interference
    }
    let pauses = Mutex<[Duration]>([])
    var parts = await pair.parts
    parts.runtime.sleep = { pause in pauses.withLock { $0.append(pause) } }
    let report = await SyncRun([parts], waits: true).run()[0]
    #expect(report.result == .synced)
    #expect(pauses.withLock { $0 } == [1, 2, 4, 8, 15].map(Duration.seconds))
    #expect(await pair.both() == (verb == "read" ? ["a": "1!", "b": "2"] : ["b": "2"]))
  }

  @Test("a run reports what waits for a second check if it cannot wait for it", arguments: [true, false])
  func noSecondLook(waits: Bool) async throws {
    let pair = Pair()
    await pair.agree(on: ["a": "1", "b": "2"])
    await pair.edit(.remote, ["a": "1!"])
    await pair.put(around: .remote) { Interference(replica: $0, reading: { _ in .postponed("it is being written") }) }
    var parts = await pair.parts
    parts.runtime.sleep = { _ in throw CancellationError() }
    let report = await SyncRun([parts], waits: waits).run()[0]
    #expect(report.result == .unsettled)
    #expect(await pair.texts(.local) == ["a": "1", "b": "2"])
  }

  @Test("a run does not wait for approvals")
  func noWait() async throws {
    let pair = Pair()
    await pair.agree(on: ["a": "1"])
    await pair.edit(.remote, ["a": "1!"])
    await pair.put(around: .local) { Interference(replica: $0, answer: { _ in .postponed("it is open in an editor") }) }
    var parts = await pair.parts
    parts.runtime.sleep = { _ in Issue.record("it waited") }
    let report = await SyncRun([parts], waits: true).run()[0]
    #expect(report.result == .waiting)
  }

  @Test("a failing remote does not stop the others")
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
