import SyncKit
import SyncKitTesting
import Testing

@Suite("An archive in memory")
struct MemoryArchiveTests {
  private let archive = MemoryArchive(now: { Timestamp(seconds: 1_000_000) })
  private let path = SyncPath("a.org")!
  private let bytes = Array("one\n".utf8)

  private var version: Version {
    Version(remote: "home", path: path, digest: Digest(of: bytes), side: .local)
  }

  private func agreement(_ number: Int) -> Agreement {
    Agreement(
      path: path, digest: Digest(of: bytes), local: Revision("\(number)"), remote: Revision("\(number)"))
  }

  @Test("a crash loses what was not flushed, and nothing else")
  func crash() async throws {
    let flushed = try await archive.intake(keepingAtMost: 100).receive(bytes)
    try await archive.flush()
    let fresh = try await archive.intake(keepingAtMost: 100).receive([1])
    #expect(try await archive.held([flushed, fresh]) == [flushed, fresh])
    await archive.crash()
    #expect(try await archive.held([flushed, fresh]) == [flushed])
  }

  @Test("content above the limit is not kept")
  func limit() async throws {
    let digest = try await archive.intake(keepingAtMost: 3).receive(bytes)
    #expect(digest == Digest(of: bytes))
    #expect(try await archive.content(digest) == nil)
  }

  @Test("a version without its content is refused")
  func keeping() async throws {
    await #expect(throws: SyncError.self) { try await archive.keep([version]) }
    _ = try await archive.intake(keepingAtMost: 100).receive(bytes)
    try await archive.keep([version])
    await archive.crash()
    #expect(await archive.backup.versions == [version])
    #expect(try await archive.held([version.digest]) == [version.digest])
  }

  @Test("the generation increases with each change of the base, also when a remote starts again")
  func generations() async throws {
    var record = Record(remote: "home")
    record.agreements = [agreement(1)]
    try await archive.record(record)
    #expect(await archive.memory(of: "home").base[path] == agreement(1))
    var again = Record(remote: "home")
    again.startsAgain = true
    try await archive.record(again)
    #expect(await archive.memory(of: "home").base.isEmpty)
    #expect(await archive.generation(of: "home") == 2)
  }

  @Test("restoring a backup keeps the contents")
  func rollBack() async throws {
    let backup = await archive.backup
    let digest = try await archive.intake(keepingAtMost: 100).receive(bytes)
    try await archive.flush()
    var record = Record(remote: "home")
    record.agreements = [agreement(1)]
    try await archive.record(record)
    try await archive.journal(of: "home").write(["key": [1]])
    await archive.restore(backup)
    #expect(await archive.memory(of: "home").base.isEmpty)
    #expect(try await archive.journal(of: "home").records().isEmpty)
    #expect(try await archive.held([digest]) == [digest])
  }

  @Test("a run gets its number with its first write")
  func passNumbers() async throws {
    #expect(await archive.passNumber() == 1)
    await archive.crash()
    #expect(await archive.passNumber() == 1)
    var record = Record(remote: "home")
    record.agreements = [agreement(1)]
    try await archive.record(record)
    #expect(await archive.passNumber() == 1)
    await archive.crash()
    #expect(await archive.passNumber() == 2)
  }

  @Test("holds, conflicts and approvals are kept")
  func holds() async throws {
    let item = HeldItem(path: path, digest: Digest(of: bytes), side: .remote)
    var record = Record(remote: "home")
    record.hold = Hold(reason: "many", items: [item])
    try await archive.record(record)
    await archive.allowHeld(of: "home")
    #expect(await archive.memory(of: "home").allowed == [item])
    #expect(await archive.memory(of: "home").hold == nil)
    var used = Record(remote: "home")
    used.used = [item]
    try await archive.record(used)
    #expect(await archive.memory(of: "home").allowed.isEmpty)
  }
}
