import ArchiveSQLite
import Foundation
import ProgramTesting
import SyncKit
import Testing

#if canImport(Glibc)
  import Glibc

  /// An archive on a full disk. This needs a separate file system, which only root can mount.
  @Suite(.serialized, .enabled(if: SmallDisk.isPossible, "SKIPPED: a full disk needs root and a tmpfs; run as root"))
  struct ArchiveFullDiskTests {
    @Test func aFullDiskLosesNothingAndTheJournalStaysWritable() async throws {
      let disk = try SmallDisk(mebibytes: 8)
      let archive = try SQLiteArchive.open(in: disk.path).get()
      let first = try await archive.take("first")
      try await archive.agree(.on("a.org", "first"))
      let digests = try await fill(archive)
      #expect(!digests.isEmpty)

      try await archive.journal(of: "home").write(["intent": Array(repeating: 1, count: 2000)])
      try await useReserve(of: disk, archive)
      #expect(try await archive.text(first) == "first")
      #expect(try await archive.memory(of: "home").base.count == 1)

      let reopened = try SQLiteArchive.open(in: disk.path).get()
      #expect(try await reopened.journal(of: "home").records().count == 1)
      #expect(try await reopened.held(Set(digests)) == Set(digests))
      #expect(try await reopened.verify().isEmpty)
    }

    @Test func anArchiveOpensOnAFullDisk() async throws {
      let disk = try SmallDisk(mebibytes: 8)
      let archive = try SQLiteArchive.open(in: disk.path).get()
      try await archive.agree(.on("a.org", "first"))
      try await archive.close()
      let filler = disk.path + "/filler"
      try Data().write(to: URL(filePath: filler))
      let handle = try #require(FileHandle(forWritingAtPath: filler))
      for size in [1 << 20, 1 << 12, 1] {
        while (try? handle.write(contentsOf: Data(repeating: 1, count: size))) != nil {}
      }
      let reopened = try SQLiteArchive.open(in: disk.path).get()
      #expect(try await reopened.memory(of: "home").base.count == 1)
      try await reopened.journal(of: "home").write(["intent": [1]])
      try await useReserve(of: disk, reopened)
    }

    /// Writes to the journal until the archive has given up its reserve. A full disk may have some space again once the system
    /// has closed a removed file.
    private func useReserve(of disk: SmallDisk, _ archive: SQLiteArchive) async throws {
      let reserve = disk.path + "/reserve"
      for _ in 0..<1_000 where FileManager.default.fileExists(atPath: reserve) {
        try await archive.journal(of: "home").write(["intent": Array(repeating: 1, count: 4_000)])
      }
      #expect(!FileManager.default.fileExists(atPath: reserve))
    }

    /// Replaces versions until there is no space for another one, and returns the replaced ones.
    private func fill(_ archive: SQLiteArchive) async throws -> [Digest] {
      var digests: [Digest] = []
      for number in 0..<1000 {
        do {
          var generator = SplitMix64(state: UInt64(number))
          let bytes = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
          let digest = try await archive.intake(keepingAtMost: .max).receive(bytes)
          try await archive.keep([Version(remote: "home", path: .of("a.org"), digest: digest, side: .local)])
          digests.append(digest)
        } catch {
          #expect(error.code == .noSpace)
          return digests
        }
      }
      Issue.record("the disk never became full")
      return digests
    }

    @Test func aLargeContentThatDoesNotFitLeavesNoFile() async throws {
      let disk = try SmallDisk(mebibytes: 8)
      let archive = try SQLiteArchive.open(in: disk.path).get()
      let error = await #expect(throws: SyncError.self) {
        var generator = SplitMix64(state: 9)
        let bytes = (0..<9 << 20).map { _ in UInt8.random(in: 0...255, using: &generator) }
        _ = try await archive.intake(keepingAtMost: .max).receive(bytes)
      }
      #expect(error?.code == .noSpace)
      let left = try FileManager.default.subpathsOfDirectory(atPath: disk.path).filter { $0.hasSuffix(".tmp") }
      #expect(left.isEmpty)
      Command.finishStarting()
      try await archive.agree(.on("a.org", "one"))
    }
  }

  /// A very small file system in memory.
  private final class SmallDisk {
    static let isPossible = getuid() == 0 && (try? SmallDisk(mebibytes: 1)) != nil

    let path = NSTemporaryDirectory() + "/disk-" + Runtime.real.uniqueName()

    init(mebibytes: Int) throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      guard unsafe mount("tmpfs", path, "tmpfs", 0, "size=\(mebibytes)m,mode=700") == 0 else {
        throw CocoaError(.fileWriteUnknown)
      }
    }

    deinit {
      unsafe umount2(path, Int32(MNT_DETACH))
      unsafe rmdir(path)
    }
  }
#endif
