import SyncKitTesting
import Synchronization
import Testing

@testable import SyncKit

/// Interference with a pass: edits at every moment, lost answers, refusals.
@Suite("Passes with concurrent writers")
struct PassInterferenceTests {
  @Test(
    "passes end in sync and lose nothing, whatever the result of a change",
    arguments: Side.allCases, ["refused", "unknown", "unknown, done", "postponed", "failed", "cannot", "accepted"])
  func outcomes(side: Side, outcome: String) async throws {
    let pair = Pair()
    await pair.agree(on: ["a": "1", "b": "2", "gone": "3"])
    await pair.edit(side.other, ["a": "1, edited", "new": "4", "gone": nil])
    let isFirst = Mutex(Set<SyncPath>())
    await pair.put(around: side) { replica in
      Interference(
        replica: replica,
        answer: { change in
          guard outcome != "unknown, done", isFirst.withLock({ $0.insert(change.path).inserted }) else { return nil }
          switch outcome {
          case "refused": return .refused(nil)
          case "unknown": return .unknown(SyncError(.unavailable, "the line broke"))
          case "postponed": return .postponed("an editor is writing the file")
          case "failed": return .failed(SyncError(.pathFailed, "no"))
          case "cannot": return .cannot("no")
          default: return .accepted(nil)
          }
        },
        reply: { change, result in
          let isOnce = outcome == "unknown, done" && isFirst.withLock { $0.insert(change.path).inserted }
          return isOnce ? .unknown(SyncError(.unavailable, "the line broke")) : result
        })
    }
    let first = await pair.pass()
    #expect(first.counts.copied + first.counts.removed == 0)
    let results: [String: PassResult] = ["refused": .unsettled, "postponed": .waiting, "accepted": .waiting]
    #expect(first.result == results[outcome] ?? .failed)
    #expect(first.wantsAnotherPass == (["refused", "unknown", "unknown, done"].contains(outcome)))
    #expect(await pair.archive.memory(of: "home").base.count == 3)
    let (report, isQuiet) = await pair.passes()
    #expect(report.result == .synced && isQuiet)
    #expect(await pair.both() == ["a": "1, edited", "b": "2", "new": "4"])
    #expect(await pair.lost().isEmpty)
  }

  @Test(
    "a pass never replaces a concurrent edit", arguments: Side.allCases,
    ["after the listing", "after the reading", "before the change"])
  func editInBetween(side: Side, moment: String) async throws {
    for policy in ConflictPolicy.allCases {
      let pair = Pair(options: PassOptions(conflicts: policy))
      await pair.agree(on: ["a.org": "base ", "b": "2", "gone": "3", "c": "4"])
      await pair.edit(side.other, ["a.org": "base far ", "gone": nil, "new": "theirs", "c": "5"])
      let isDone = Mutex(false)
      let interfere: @Sendable () async -> Void = {
        guard
          isDone.withLock({ done in
            defer { done = true }
            return !done
          })
        else { return }
        await pair.edit(side, ["a.org": "base near ", "gone": "not gone", "new": "mine", "c": nil])
      }
      // The other side has something to read.
      await pair.put(around: moment == "after the reading" ? side.other : side) { replica in
        var interference = Interference(replica: replica)
        switch moment {
        case "after the listing": interference.afterSnapshot = interfere
        case "after the reading": interference.afterRead = { _ in await interfere() }
        default: interference.beforeCommit = { _ in await interfere() }
        }
        return interference
      }
      let (_, isQuiet) = await pair.passes()
      #expect(isQuiet, "\(policy)")
      let files = try #require(await pair.both())
      #expect(files["gone"] == "not gone" && files["c"] == "5" && files["b"] == "2", "\(policy) \(files)")
      #expect(await pair.lost().isEmpty)
    }
  }

  @Test("a file that is written again between listing and lookup does not count as deleted", arguments: Side.allCases)
  func returns(side: Side) async throws {
    let pair = Pair()
    await pair.agree(on: ["a": "1", "b": "2"])
    await pair.edit(side, ["a": nil])
    await pair.put(around: side) { replica in
      Interference(replica: replica, afterSnapshot: { await pair.edit(side, ["a": "1"]) })
    }
    #expect(await pair.pass().wantsAnotherPass)
    #expect(await pair.texts(side.other) == ["a": "1", "b": "2"])
  }

  @Test(
    "unavailable content is reported with the reason, and the other files are synced", arguments: Side.allCases,
    ["failed", "suspect", "postponed", "absent"])
  func unreadable(side: Side, outcome: String) async throws {
    let pair = Pair()
    await pair.agree(on: ["a": "1", "b": "2"])
    await pair.edit(side, ["a": "1, edited", "b": "2, edited"])
    await pair.put(around: side) { replica in
      Interference(
        replica: replica,
        reading: { read in
          guard read == path("a") else { return nil }
          return switch outcome {
          case "failed": .failed(SyncError(.pathFailed, "the disk is worn out"))
          case "suspect": .failed(SyncError(.suspect, "the disk is worn out"))
          case "postponed": .postponed("the disk is worn out")
          default: .absent
          }
        })
    }
    let report = await pair.pass()
    let action = try #require(report.actions.first { $0.path == path("a") })
    #expect(action.result == (outcome == "failed" ? .failed : .waiting))
    #expect(
      action.detail
        == (outcome == "absent"
          ? "the file disappeared while it was read; the next pass checks again" : "the disk is worn out"))
    #expect(await pair.texts(side.other) == ["a": "1", "b": "2, edited"])
    await pair.put(around: side, nil)
    #expect(await pair.passes().report.result == .synced)
    #expect(await pair.both() == ["a": "1, edited", "b": "2, edited"])
  }

  @Test("a pass fails if a replica leaves out a result", arguments: ["read", "confirm", "commit"])
  func answersMissing(verb: String) async throws {
    let pair = Pair()
    await pair.agree(on: ["a": "1", "b": "2", "c": "3"])
    await pair.edit(.remote, ["a": nil, "b": "2!"])
    await pair.put(around: verb == "commit" ? .local : .remote) { Laconic(replica: $0, verb: verb) }
    #expect(await pair.pass().failure?.code == .unexpected)
    #expect(await pair.texts(.local)["a"] == "1" || verb == "commit")
    await pair.put(around: .local, nil)
    await pair.put(around: .remote, nil)
    #expect(await pair.passes().isQuiet)
    #expect(await pair.both() == ["b": "2!", "c": "3"])
  }

  @Test("a file that changed within the clock tick of its stat is read again", arguments: Side.allCases)
  func sameTick(side: Side) async throws {
    // The revision of a file does not change when it is written twice within a tick; it is not firm until then.
    let pair = Pair()
    let isFresh = Mutex(true)
    let content = Mutex("one")
    await pair.put(around: side) { replica in
      Coarse(replica: replica, path: path("a"), isFresh: { isFresh.withLock { $0 } }, text: { content.withLock { $0 } })
    }
    _ = await pair.passes()
    #expect(await pair.texts(side.other) == ["a": "one"])
    content.withLock { $0 = "two" }
    isFresh.withLock { $0 = false }
    _ = await pair.pass()
    #expect(await pair.texts(side.other) == ["a": "two"])
  }

  @Test("a pass stops on request, and the next one continues")
  func cancelled() async throws {
    let pair = Pair()
    await pair.edit(.local, ["a": "1", "b": "2"])
    let task = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return await pair.pass()
    }
    let report = await task.value
    #expect(report.failure?.code == .cancelled && report.result == .timedOut)
    #expect(await pair.passes().report.result == .synced)
    #expect(await pair.both() == ["a": "1", "b": "2"])
  }

  @Test("a pass that is interrupted at any of its effects loses nothing", arguments: 0..<40)
  func cutOff(at number: Int) async throws {
    let pair = Pair(options: PassOptions(conflicts: number % 2 == 0 ? .merge : .keepBoth))
    await pair.agree(on: ["a.org": "base ", "b": "2", "gone": "3", "old": "4", "c": "5"])
    await pair.edit(.local, ["a.org": "base local ", "b": "2 local", "gone": nil, "old": nil, "new": "4", "x": "file"])
    await pair.edit(.remote, ["a.org": "base remote ", "b": "2 remote", "old": "4 edited", "x/a": "inside", "c": nil])
    let count = Mutex(0)
    for side in Side.allCases {
      await pair.put(around: side) { replica in
        Interference(
          replica: replica,
          answer: { _ in
            let isCut = count.withLock { count in
              count += 1
              return count > number / 2
            }
            return isCut ? .unknown(SyncError(.unavailable, "cut off")) : nil
          })
      }
    }
    _ = await pair.pass()
    await pair.archive.crash()
    for side in Side.allCases { await pair.put(around: side, nil) }
    let (_, isQuiet) = await pair.passes()
    #expect(isQuiet)
    let files = try #require(await pair.both())
    #expect(files["x/a"] == "inside" && files.values.contains("file") && files["gone"] == nil && files["c"] == nil)
    #expect(files.values.contains("4 edited") && files["old"] == nil)
    #expect(await pair.lost().isEmpty)
    #expect(files.count <= 8, "\(files)")
  }
}

@Suite("Listings from a cursor")
struct CursorTests {
  @Test("a cursor is used only after everything listed is recorded")
  func keepsCursor() async throws {
    let pair = Pair()
    let asked = Mutex<[Cursor?]>([])
    let isBusy = Mutex(true)
    await pair.put(around: .remote) { replica in
      Interference(
        replica: replica,
        listing: { snapshot, known in
          asked.withLock { $0.append(known.cursor) }
          return snapshot.with(Cursor(bytes: [7]))
        })
    }
    await pair.put(around: .local) { replica in
      Interference(
        replica: replica, answer: { _ in isBusy.withLock { $0 } ? .postponed("an editor is writing the file") : nil })
    }
    await pair.edit(.remote, ["a": "1"])
    for _ in 0..<2 { _ = await pair.pass() }
    isBusy.withLock { $0 = false }
    for _ in 0..<2 { _ = await pair.pass() }
    #expect(asked.withLock { $0 } == [nil, nil, nil, Cursor(bytes: [7])])
  }

  @Test("a cursor is not used with another filter")
  func otherFilter() async throws {
    let pair = Pair()
    let asked = Mutex<[Cursor?]>([])
    await pair.put(around: .remote) { replica in
      Interference(
        replica: replica,
        listing: { snapshot, known in
          asked.withLock { $0.append(known.cursor) }
          return snapshot.with(Cursor(bytes: [7]))
        })
    }
    _ = await pair.pass()
    await pair.set { $0.filter = PathFilter(ignore: ["*.txt"]) }
    _ = await pair.pass()
    _ = await pair.pass()
    #expect(asked.withLock { $0 } == [nil, nil, Cursor(bytes: [7])])
  }
}

extension Snapshot {
  fileprivate func with(_ cursor: Cursor) -> Snapshot {
    Snapshot(
      known: known, same: same, others: others, unread: unread, isComplete: isComplete, root: root, naming: naming,
      wentBackwards: wentBackwards, cursor: cursor)
  }
}

/// A replica that omits the first result, so that each result would be assigned to the next change.
private struct Laconic: ReplicaAround {
  let replica: any Replica
  let verb: String

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    Array(try await replica.read(paths, into: sink).dropFirst(verb == "read" ? 1 : 0))
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] {
    Array(try await replica.confirm(paths).dropFirst(verb == "confirm" ? 1 : 0))
  }

  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    Array(try await replica.commit(changes).dropFirst(verb == "commit" ? 1 : 0))
  }
}

/// A replica with an additional file, whose revision does not change with its content.
private struct Coarse: ReplicaAround {
  let replica: any Replica
  let path: SyncPath
  let isFresh: @Sendable () -> Bool
  let text: @Sendable () -> String

  private var entry: Entry { Entry(path: path, revision: Revision("same"), isFirm: !isFresh(), size: 3) }

  func list(since known: Known) async throws(SyncError) -> Snapshot {
    var builder = SnapshotBuilder(since: known)
    builder.add(entry)
    return builder.finish(root: try await replica.list(since: Known()).root)
  }

  func read(_ paths: [SyncPath], into sink: any ContentSink) async throws(SyncError) -> [ReadResult] {
    var found = entry
    found.digest = try await sink.receive(Array(text().utf8))
    return paths.map { _ in .read(found) }
  }

  func confirm(_ paths: [SyncPath]) async throws(SyncError) -> [Presence] { paths.map { _ in .present(entry) } }
  func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] { changes.map { _ in .cannot("no") } }
}
