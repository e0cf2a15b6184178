import CPOSIX
import Foundation
import ProgramTesting
import SyncKit
import Synchronization
import Testing

@testable import FileTree

/// Tests that need another file system: run if the tests run as root, and reported as skipped otherwise.
@Suite struct SystemTests {
  let folder = TestFolder()

  @Test(.enabled(if: getuid() == 0, "mounting needs root"))
  func `on a full disk, files that do not fit fail and leave no leftovers`() async throws {
    try await withSmallDisk { disk in
      var tree = FileTree(path: disk, parts: folder.tree().parts)
      // Like a program that is being started, which has the descriptors of this one for a while.
      let open = Mutex<[CInt]>([])
      tree.reach = { failpoint in
        guard failpoint == .temporaryCreated else { return }
        let files = (try? FileManager.default.contentsOfDirectory(atPath: disk)) ?? []
        open.withLock { open in
          open += files.map { unsafe posix_openat(AT_FDCWD, disk + "/" + $0, O_RDONLY | O_CLOEXEC, 0) }
        }
      }
      defer { for descriptor in open.withLock({ $0 }) { close(descriptor) } }
      let large = Content([UInt8](repeating: 7, count: 2 << 20))
      let results = try await tree.commit([
        Change(path: a, content: large, condition: .absent),
        Change(path: SyncPath("b.org")!, content: Content("small"), condition: .absent),
      ])
      #expect(results[0].failure?.code == .noSpace)
      #expect(results[1].isDone)
      #expect(try FileManager.default.contentsOfDirectory(atPath: disk) == ["b.org"])
    }
  }

  @Test(.enabled(if: getuid() == 0, "mounting needs root"))
  func `an unmounted disk leaves another root or none`() async throws {
    let tree = FileTree(path: folder.outer + "/disk", parts: folder.tree().parts)
    try await withSmallDisk { _ in _ = try await tree.list(since: Known()) }
    do throws(SyncError) {
      _ = try await tree.confirm([a])
      Issue.record("an empty mount point was accepted as the disk")
    } catch { #expect(error.code == .wrongReplica) }
  }

  @Test(.enabled(if: getuid() == 0, "mounting needs root"))
  func `changes on a disk mounted below the root are made durable as well`() async throws {
    try await withSmallDisk { _ in
      let tree = FileTree(path: folder.outer, parts: folder.tree().parts)
      let paths = (0..<20).map { SyncPath("disk/note\($0).org")! }.sorted()
      let results = try await tree.commit(
        paths.map { Change(path: $0, content: Content("text"), condition: .absent) })
      #expect(results.allSatisfy { $0.isDone })
    }
  }

  /// Runs `body` with a disk of one megabyte.
  private func withSmallDisk(_ body: (String) async throws -> Void) async throws {
    let disk = folder.outer + "/disk"
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
    try Command(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk]).succeed()
    let result: Result<Void, any Error>
    do { result = .success(try await body(disk)) } catch { result = .failure(error) }
    try await unmount(disk)
    try result.get()
  }

  /// Unmounts it; retries if it is busy: a program that another test starts inherits all open files until it runs.
  private func unmount(_ disk: String) async throws {
    for _ in 0..<50 where try Command(["umount", disk]).run().status != 0 {
      try await Task.sleep(for: .milliseconds(100))
    }
    if try Command(["mountpoint", "-q", disk]).run().status == 0 { try Command(["umount", disk]).succeed() }
  }
}
