import Foundation
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudSFTP

@Suite("Sftp servers")
struct ConformanceTests {
  /// The servers on which no edit can be lost.
  static let safe = [SFTPHost.Kind.openssh, .chroot, .gesftpserver, .dropbear, .proftpd]

  @Test("a folder passes the storage checks", arguments: safe.filter { $0 != .dropbear }, StorageCheck.all)
  func storage(kind: SFTPHost.Kind, check: StorageCheck) async throws { try await run(check, on: kind) }

  // It accepts five logins at a time.
  @Test("a folder on dropbear passes the storage checks", .serialized, arguments: StorageCheck.all)
  func dropbear(check: StorageCheck) async throws { try await run(check, on: .dropbear) }

  /// What a replica has beyond a storage: the batches that rename and exchange files.
  @Test("a folder passes the replica checks", .serialized, arguments: safe, replicaChecks)
  func replica(kind: SFTPHost.Kind, check: ReplicaCheck) async throws {
    guard let host = await SFTPHost.shared(kind) else { return }
    let record = try await Self.probes.record(of: host)
    try await check.run(on: {
      let folder = Folder(on: host)
      return (
        try await Self.replica("one", in: folder, record), try await Self.replica("other", in: folder, record)
      )
    })
  }

  static let replicaChecks = ReplicaCheck.all.filter { check in !StorageCheck.all.contains { $0.id == check.id } }

  private static func replica(
    _ device: String, in folder: Folder, _ record: [UInt8]
  ) async throws -> any Replica {
    let journal = TestJournal()
    journal.write(["sftp.traits": record])
    let storage = try await folder.storage(journal: journal, device: device)
    return StorageReplica(
      storage,
      RemoteParts(
        name: "test", storage: storage, device: Device(id: device, name: device), runtime: .real,
        contents: MemoryContents(), journal: journal))
  }

  private func run(_ check: StorageCheck, on kind: SFTPHost.Kind) async throws {
    guard let host = await SFTPHost.shared(kind) else { return }
    let record = try await Self.probes.record(of: host)
    try await check.run(
      on: {
        let folder = Folder(on: host)
        // Each device keeps its own probe results, like the passes of a remote.
        let (one, other) = (TestJournal(), TestJournal())
        for journal in [one, other] { journal.write(["sftp.traits": record]) }
        return (
          try await folder.storage(journal: one, device: "one"),
          try await folder.storage(journal: other, device: "other")
        )
      }, unreachable: { try await Folder(on: host).storage { $0.port = 1 } })
  }

  private static let probes = SharedProbes()

  /// Probes each server once.
  private actor SharedProbes {
    private var records: [SFTPHost.Kind: Task<[UInt8], any Error>] = [:]

    func record(of host: SFTPHost) async throws -> [UInt8] {
      let probe =
        records[host.kind]
        ?? Task {
          let (folder, journal) = (Folder(on: host), TestJournal())
          try folder.make()
          _ = try await folder.storage(journal: journal).provenTraits()
          return journal.records()["sftp.traits"] ?? []
        }
      records[host.kind] = probe
      return try await probe.value
    }
  }
}

@Suite("What a probe finds")
struct ProbeTests {
  @Test("a server is used by what was observed of it", arguments: ConformanceTests.safe)
  func traits(kind: SFTPHost.Kind) async throws {
    guard let host = try await SFTPHost.spacious(kind) else { return }
    let (folder, journal) = (Folder(on: host), TestJournal())
    try folder.make()
    let traits = try await folder.storage(journal: journal).provenTraits()
    #expect(
      traits == Traits(placing: .link, movesAtomically: true, syncs: true), "\(traits)")
    #expect(traits.capabilities.replacement == .moves && traits.capabilities.isRaceFree)
    #expect(folder.allTexts().isEmpty, "the probe left files behind")
    let record = try #require(journal.records()["sftp.traits"])
    #expect(ProbeRecord(record)?.bytes == record)
  }

  @Test(
    "a server that overwrites, or confirms links and makes none, is refused with the reason",
    arguments: [(SFTPHost.Kind.rclone, "never overwrites"), (.noLinks, "posix-rename")])
  func refusal(kind: SFTPHost.Kind, lack: String) async throws {
    guard let host = await SFTPHost.shared(kind) else { return }
    let folder = Folder(on: host)
    try folder.make()
    let storage = try await folder.storage()
    let error = await #expect(throws: SyncError.self) {
      try await storage.write(content("one\n"), to: path("a.org"), if: .absent)
    }
    #expect(error?.code == .invalidSettings, "\(String(describing: error))")
    #expect(error?.message.contains(lack) == true, "\(String(describing: error))")
    #expect(error?.message.contains("unsafe-writes") == true)
    #expect(folder.allTexts().isEmpty)
    let findings = try await storage.diagnose()
    #expect(findings.contains { $0.level == .problem && $0.text.contains(lack) }, "\(findings)")
    #expect(try await storage.capabilities().replacement == .unsafe)
  }

  @Test("with unsafe-writes one device can use such a server", arguments: [SFTPHost.Kind.rclone, .noLinks])
  func unsafeWrites(kind: SFTPHost.Kind) async throws {
    guard let host = await SFTPHost.shared(kind) else { return }
    let folder = Folder(on: host)
    try folder.make()
    let device = try await folder.device("one") { $0.unsafeWrites = true }
    for text in ["one\n", "two\n"] {
      try await device.write(text, to: "d/a.org")
      try await device.expectHealthyRun(text)
      #expect(folder.read("d/a.org") == text)
    }
    await device.store.take(try path("d/a.org"))
    for name in ["b", "c", "e"] { try await device.write("* \(name)\n", to: "\(name).org") }
    try await device.expectHealthyRun("third")
    #expect(folder.allTexts().count == 3)
  }

  @Test("a server that may only be read is read, and each file that is not sent says why")
  func readOnly() async throws {
    guard let host = await SFTPHost.shared(.readOnly) else { return }
    let folder = Folder(on: host)
    try folder.write("id abcdefghijklmnopqrstuvwxyz\n", to: ReservedName.marker)
    try folder.write("there\n", to: "there.org")
    let device = try await folder.device("one")
    try await device.write("here\n", to: "here.org")
    for _ in 0..<2 {
      let report = await device.sync()
      #expect(
        report.actions.contains { $0.path == SyncPath("here.org") && $0.detail.contains("permission") }, "\(report)")
    }
    #expect(try await device.texts()["there.org"] == "there\n")
    #expect(folder.allTexts() == ["there.org": "there\n"])
    let findings = try await folder.storage().diagnose()
    #expect(findings.contains { $0.level == .problem && $0.text.contains("permission") }, "\(findings)")
    // Where nothing may be written, nothing is tested by writing.
    let untested = try await folder.storage(isReceiveOnly: true).diagnose()
    #expect(!untested.contains { $0.level == .problem } && untested.contains(.unprobed), "\(untested)")
  }

  @Test("a full server is reported, and nothing is lost")
  func full() async throws {
    guard let host = await SFTPHost.shared(.small) else { return }
    let folder = Folder(on: host)
    try folder.make()
    let device = try await folder.device("one")
    try await device.write("one\n", to: "large.org")
    try await device.expectHealthyRun("first")
    try await device.write("one\n" + String(repeating: "0123456789abcde\n", count: 2_000), to: "large.org")
    try await device.write("small\n", to: "small.org")
    let report = await device.sync()
    #expect(
      report.actions.contains { $0.path == SyncPath("large.org") && $0.detail.contains("full") }, "\(report)")
    #expect(folder.allTexts() == ["large.org": "one\n", "small.org": "small\n"])
  }
}
