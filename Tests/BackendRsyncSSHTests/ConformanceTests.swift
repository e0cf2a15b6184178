import ProgramTesting
import SSHConnection
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

@testable import BackendRsyncSSH

@Suite("A folder that rsync serves") final class ConformanceTests: Sendable {
  private let folders = Mutex<[Folder]>([])

  @Test("a folder passes the storage checks", arguments: StorageCheck.all)
  func storage(check: StorageCheck) async throws {
    try await check.run(
      on: { try await self.handles(on: try await self.folder(.pipes)) },
      unreachable: { try await self.folder(.pipes).storage { $0.ssh.sshCommand = ["/bin/sh", "-c", "exit 255"] } },
      secrets: [])
  }

  @Test("a folder in exclusive mode passes the storage checks", arguments: StorageCheck.all)
  func exclusive(check: StorageCheck) async throws {
    guard SFTPServer.isAvailable else { return }
    try await check.run(
      on: { try await self.handles(on: try await self.folder(.pipes)) { $0.exclusive = true } },
      unreachable: {
        try await self.folder(.pipes).storage {
          $0.exclusive = true
          $0.ssh.sshCommand = ["/bin/sh", "-c", "exit 255"]
        }
      }, secrets: [], quirks: Self.quirksOfMoves)
  }

  /// The checks that the exclusive mode cannot pass for writers that move the same version away in the same instant.
  private static let quirksOfMoves = [
    ServerQuirk(
      check: .writeRace, "a change may be reported as refused although its version is in place; the next pass reads it")
  ]

  @Test("a folder passes the replica checks", arguments: ofReplicas)
  func replica(check: ReplicaCheck) async throws {
    try await run(check, .pipes, isExclusive: false)
  }

  /// Claims about storages are tested there; a replica passes them on.
  private static let ofReplicas = ReplicaCheck.all.filter { check in
    isSoak || !StorageCheck.all.contains { $0.id == check.id }
  }

  /// Most checks do not depend on the transport; a few show whether it works.
  @Test("a folder behind a real sshd passes the replica checks", arguments: [Folder.Transport.ssh, .library], overSSH)
  func ssh(way: Folder.Transport, check: ReplicaCheck) async throws {
    guard await Folder.isAvailable(way) else { return }
    for isExclusive in [false, true] { try await run(check, way, isExclusive: isExclusive) }
  }

  private static let overSSH = ReplicaCheck.all.filter { check in
    isSoak || [.swap, .largeFile, .claim].contains(check.id)
  }

  private func run(_ check: ReplicaCheck, _ way: Folder.Transport, isExclusive: Bool) async throws {
    try await check.run(on: {
      let folder = try await self.folder(way)
      let one = try await folder.storage(device: "one") { $0.exclusive = isExclusive }
      let other = try await folder.storage(device: "other") { $0.exclusive = isExclusive }
      return (StorageReplica(one, one.parts), StorageReplica(other, other.parts))
    })
  }

  /// Two devices with one folder.
  private func handles(
    on folder: Folder, _ change: (inout RsyncSSH.Settings) -> Void = { _ in }
  ) async throws -> StorageCheck.Handles {
    (try await folder.storage(device: "one", change), try await folder.storage(device: "other", change))
  }

  private func folder(_ way: Folder.Transport) async throws -> Folder {
    let folder = try await Folder(way)
    folders.withLock { $0.append(folder) }
    return folder
  }
}
