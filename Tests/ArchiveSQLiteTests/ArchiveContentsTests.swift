import ArchiveSQLite
import Foundation
import ProgramTesting
import SyncKit
import Testing

struct ArchiveContentsTests {
  let folder = ScratchFolder()

  private func reopened() throws -> SQLiteArchive { try .opened(in: folder) }

  @Test(arguments: [0, 1, 100, 262_144, 1_048_576, 1_048_577, 3_000_000])
  func aContentComesBackAsItWas(size: Int) async throws {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) }
    let archive = try reopened()
    let digest = try await archive.intake(keepingAtMost: .max).receive(bytes)
    #expect(digest == Digest(of: bytes))
    #expect(try await archive.content(digest)?.bytes() == bytes)
    try await archive.flush()
    let content = try await reopened().content(digest)
    #expect(content?.size == size)
    #expect(try await content?.bytes() == bytes)
    #expect(try await content?.bytes() == bytes, "a second reading starts at byte 0")
  }

  @Test func chunksAreStoredAsOneContent() async throws {
    let archive = try reopened()
    let piece = Array(repeating: UInt8(7), count: 100_000)
    let (digest, size) = try await archive.intake(keepingAtMost: .max).receive(size: 0) { intake throws(SyncError) in
      for _ in 0..<10 { try await intake.write(piece) }
    }
    #expect(size == 1_000_000)
    #expect(try await archive.content(digest)?.bytes().count == 1_000_000)
  }

  @Test(arguments: [10, 1_300_000]) func contentAboveTheLimitIsOnlyHashed(size: Int) async throws {
    let archive = try reopened()
    let bytes = Array(repeating: UInt8(1), count: size)
    let digest = try await archive.intake(keepingAtMost: size - 1).receive(bytes)
    #expect(digest == Digest(of: bytes))
    #expect(try await archive.content(digest) == nil)
    #expect(try await archive.held([digest]).isEmpty)
    #expect(!folder.files.keys.contains { $0.hasSuffix(".tmp") })
  }

  @Test func anInterruptedIntakeLeavesNoFile() async throws {
    let archive = try reopened()
    await #expect(throws: SyncError.self) {
      try await archive.intake(keepingAtMost: .max).receive(size: 1) { intake throws(SyncError) in
        try await intake.write(Array(repeating: 1, count: 1_300_000))
        throw SyncError(.unavailable, "cut")
      }
    }
    #expect(!folder.files.keys.contains { $0.hasSuffix(".tmp") })
  }

  @Test func pendingContentsAreHeldAndStoredWithTheNextWrite() async throws {
    let archive = try reopened()
    let digest = try await archive.take("hello")
    #expect(try await archive.held([digest, Digest(of: [1])]) == [digest])
    try await archive.keep([Version(remote: "home", path: .of("a.org"), digest: digest, side: .local)])
    #expect(try await reopened().text(digest) == "hello")
  }

  @Test func aVersionWithoutItsContentIsRefused() async throws {
    let archive = try reopened()
    await #expect(throws: SyncError.self) {
      try await archive.keep([Version(remote: "home", path: .of("a.org"), digest: Digest(of: [9]), side: .local)])
    }
  }

  @Test func aDamagedFileIsDetectedWhenItIsRead() async throws {
    let archive = try reopened()
    var generator = SplitMix64(state: 3)
    let bytes = (0..<1_400_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let digest = try await archive.intake(keepingAtMost: .max).receive(bytes)
    let name = digest.description
    let path = "\(folder.path)/contents/\(name.prefix(2))/\(name.dropFirst(2)).zst"
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    try file.seek(toOffset: 200_000)
    let before = try #require(try file.read(upToCount: 1)?.first)
    try file.seek(toOffset: 200_000)
    file.write(Data([before ^ 4]))
    let error = await #expect(throws: SyncError.self) { try await archive.content(digest)?.bytes() }
    #expect(error?.code == .damagedState && error?.message.contains(name) == true)
    try FileManager.default.removeItem(atPath: path)
    let missing = await #expect(throws: SyncError.self) { try await archive.content(digest)?.bytes() }
    #expect(missing?.code == .damagedState)
  }

  @Test func concurrentIntakesAreAllHeld() async throws {
    let archive = try reopened()
    let sink = archive.intake(keepingAtMost: .max)
    let digests = try await mapConcurrently(Array(0..<2000), atMost: 8) { number throws(SyncError) in
      try await sink.receive(Array(repeating: UInt8(truncatingIfNeeded: number), count: 5000 + number))
    }
    try await archive.flush()
    #expect(try await reopened().held(Set(digests)).count == 2000)
  }
}
