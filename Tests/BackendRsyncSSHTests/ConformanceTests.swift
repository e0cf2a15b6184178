import ProgramTesting
import SSHConnection
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

@testable import BackendRsyncSSH

@Suite("A folder that rsync serves") final class ConformanceTests: Sendable {
  private let folders = Mutex<[Folder]>([])

  @Test("is a storage", arguments: StorageCheck.all)
  func storage(check: StorageCheck) async throws {
    try await check.run(
      on: { try await self.folder(.pipes).storage() },
      unreachable: { try await self.folder(.pipes).storage { $0.ssh.sshCommand = ["/bin/sh", "-c", "exit 255"] } },
      secrets: [])
  }

  @Test("is a storage where everything is moved", arguments: StorageCheck.all)
  func exclusive(check: StorageCheck) async throws {
    guard SFTPServer.canBeHad else { return }
    try await check.run(
      on: { try await self.folder(.pipes).storage { $0.exclusive = true } },
      unreachable: {
        try await self.folder(.pipes).storage {
          $0.exclusive = true
          $0.ssh.sshCommand = ["/bin/sh", "-c", "exit 255"]
        }
      }, secrets: [])
  }

  @Test("is a replica", arguments: ofReplicas)
  func replica(check: ReplicaCheck) async throws {
    try await run(check, .pipes, isExclusive: false)
  }

  /// What is claimed of storages too is seen there; a replica passes it on.
  private static let ofReplicas = ReplicaCheck.all.filter { check in
    isSoak || !StorageCheck.all.contains { $0.name == check.name }
  }

  /// The way there decides nothing of what most checks are about; a few tell whether it works.
  @Test("is a replica over real sshd too", arguments: [Folder.Way.ssh, .library], overSSH)
  func ssh(way: Folder.Way, check: ReplicaCheck) async throws {
    guard await Folder.canBeHad(way) else { return }
    for isExclusive in [false, true] { try await run(check, way, isExclusive: isExclusive) }
  }

  private static let overSSH = ReplicaCheck.all.filter { check in
    isSoak || ["swap", "several mebibytes", "ever after"].contains { check.name.contains($0) }
  }

  private func run(_ check: ReplicaCheck, _ way: Folder.Way, isExclusive: Bool) async throws {
    try await check.run(on: {
      let storage = try await self.folder(way).storage { $0.exclusive = isExclusive }
      return StorageReplica(storage, storage.parts)
    })
  }

  private func folder(_ way: Folder.Way) async throws -> Folder {
    let folder = try await Folder(way)
    folders.withLock { $0.append(folder) }
    return folder
  }
}
