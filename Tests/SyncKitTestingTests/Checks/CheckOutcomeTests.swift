import SyncKit
import SyncKitTesting
import Testing

@Suite("Results of the conformance checks")
struct CheckOutcomeTests {
  private static let races: Set<CheckID> = [.createRace, .writeRace, .removalRace, .overtakenWrite, .overtakenCreation]

  private static let handles: @Sendable () -> StorageCheck.Handles = {
    let memory = MemoryStorage(hasRoot: false)
    return (memory, FaultyStorage(memory))
  }

  @Test("a check with a quirk is not run, and gives the quirk's reason")
  func quirk() async throws {
    let quirk = ServerQuirk(check: .removesFolders, "it never lists a folder")
    for check in StorageCheck.all.filter({ [.removesFolders, .write].contains($0.id) }) {
      let outcome = try await check.run(on: Self.handles, quirks: [quirk])
      #expect(outcome == (check.id == .removesFolders ? .notAsked("it never lists a folder") : .passed))
    }
  }

  @Test("a storage that is not race-free passes all checks except those for races", arguments: StorageCheck.all)
  func races(check: StorageCheck) async throws {
    let capabilities = Capabilities(replacement: .conditional, isRaceFree: false)
    let outcome = try await check.run(
      on: {
        let memory = MemoryStorage(capabilities: capabilities)
        return (memory, FaultyStorage(memory))
      }, unreachable: { FaultyStorage(MemoryStorage(), plan: .every(.unreachable)) })
    if case .notAsked(let reason) = outcome {
      #expect(Self.races.contains(check.id) && reason.contains("isRaceFree"))
    } else {
      #expect(!Self.races.contains(check.id))
    }
  }

  @Test("a check without its unreachable storage is not run")
  func unreachable() async throws {
    let check = try #require(StorageCheck.all.first { $0.id == .unreachable })
    guard case .notAsked = try await check.run(on: Self.handles) else {
      Issue.record("a check without its storage passed")
      return
    }
  }

  @Test("a check fails if the two handles are the same object")
  func oneHandle() async throws {
    let check = try #require(StorageCheck.all.first)
    await #expect(throws: CheckFailure.self) {
      try await check.run(on: {
        let memory = MemoryStorage()
        return (memory, memory)
      })
    }
  }

  @Test("a check fails if the storage hangs, even if it ignores its cancellation")
  func hanging() async throws {
    let check = try #require(StorageCheck.all.first { $0.id == .write })
    await #expect(throws: CheckFailure.self) {
      try await check.run(
        on: {
          var storage = BrokenStorage()
          storage.onWrite = { _, _, _, _ in await withCheckedContinuation { _ in } }
          return (storage, BrokenStorage())
        }, timeLimit: .milliseconds(50))
    }
  }

  @Test("identifiers and claims are unique")
  func identifiers() {
    for checks in [StorageCheck.all.map { ($0.id, $0.name) }, ReplicaCheck.all.map { ($0.id, $0.name) }] {
      #expect(Set(checks.map(\.0)).count == checks.count)
      #expect(Set(checks.map(\.1)).count == checks.count)
    }
  }

  @Test("a report has grades, capabilities and the number of requests")
  func report() async {
    let checks = StorageCheck.all.filter { [.write, .emptyFile, .removesFolders].contains($0.id) }
    let report = await StorageCheck.report(
      checks,
      on: {
        var storage = BrokenStorage()
        storage.onWrite = { memory, content, path, condition in
          guard content.size > 0 else { return .failed(SyncError(.pathFailed, "the file is empty")) }
          return try await memory.write(content, to: path, if: condition)
        }
        return (storage, storage)
      }, quirks: [ServerQuirk(check: .removesFolders, "it has no folders")])
    #expect(report.held.map(\.check) == [.write])
    #expect(report.failures.map(\.check) == [.emptyFile])
    #expect(report.notAsked.map(\.check) == [.removesFolders])
    #expect(report.capabilities?.replacement == .conditional && report.requests > 4)
    let text = report.description
    #expect(text.hasPrefix("memory:: 1 of 3 claims held, 1 failed, 1 skipped; "))
    #expect(text.contains("the file is empty") && text.contains("it has no folders") && text.contains("race-free"))
  }

  @Test("a report of a replica has the result of every check")
  func replica() async {
    let report = await ReplicaCheck.report(on: {
      let memory = MemoryStorage(hasRoot: false)
      return (
        StorageReplica(memory, .inMemory(storage: memory)), StorageReplica(memory, .inMemory(storage: memory, seed: 2))
      )
    })
    #expect(report.failures.isEmpty && report.held.count == ReplicaCheck.all.count, "\(report)")
  }
}
