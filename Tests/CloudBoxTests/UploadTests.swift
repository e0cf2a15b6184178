import BoxEmulator
import Foundation
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudBox

@Suite("Large files in Box")
struct UploadTests {
  /// A little more than two parts and the smallest size that is sent in parts.
  private static let bytes: [UInt8] = {
    let block = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    return (0..<21).flatMap { [UInt8($0)] + block }
  }()

  private func started() async throws -> (TestBox, any Storage) {
    let box = try await TestBox()
    let storage = try await box.storage("/top")
    try await storage.createRoot()
    return (box, storage)
  }

  private func read(_ storage: any Storage, _ path: String) async throws -> [UInt8] {
    let sink = MemorySink(limit: 64 << 20)
    guard case .read = try await storage.read(file: try syncPath(path), into: sink) else { return [] }
    return sink.bytes
  }

  @Test("a large file is sent in parts, and so is a new version of it")
  func parts() async throws {
    let (box, storage) = try await started()
    let content = Content(Self.bytes)
    let result = try await storage.write(content, to: try syncPath("d/big.bin"), if: .absent)
    let entry = try #require(result.entry, "\(result)")
    #expect(entry.digest == content.digest)
    #expect(try await read(storage, "d/big.bin") == Self.bytes)
    let other = Content(Array(Self.bytes.reversed()))
    #expect(try await storage.write(other, to: try syncPath("d/big.bin"), if: .unchanged(entry.revision)).isDone)
    #expect(await box.emulator.calls()["PUT /files/upload_sessions/:id"] == 6)
    #expect(await box.emulator.calls()["POST /files/content"] == nil)
  }

  @Test(
    "a large file arrives despite lost parts, damaged parts and a commit that is not ready",
    arguments: [
      #"{"op": "fail", "route": "PUT /files/upload_sessions/:id", "drop": "after"}"#,
      #"{"op": "fail", "route": "PUT /files/upload_sessions/:id", "drop": "before", "count": 2}"#,
      #"{"op": "fail", "route": "PUT /files/upload_sessions/:id", "status": 503}"#,
      #"{"op": "fail", "route": "POST /files/upload_sessions", "drop": "after"}"#,
      #"{"op": "fail", "route": "POST /files/upload_sessions/:id/commit", "drop": "after"}"#,
      #"{"op": "fail", "route": "POST /files/upload_sessions/:id/commit", "drop": "before"}"#,
      #"{"op": "fail", "route": "POST /files/upload_sessions/:id/commit", "status": 400, "code": "parts_mismatch"}"#,
      #"{"op": "commit_delay", "count": 2}"#,
    ])
  func faults(order: String) async throws {
    let (box, storage) = try await started()
    try await box.emulator.control(order)
    let result = try await storage.write(Content(Self.bytes), to: try syncPath("big.bin"), if: .absent)
    #expect(result.isDone, "\(result)")
    #expect(try await read(storage, "big.bin") == Self.bytes)
  }

  @Test("a large file does not replace a version that appears while it is sent, and leaves no parts behind")
  func conflict() async throws {
    let (box, storage) = try await started()
    let entry = try #require(try await storage.put("first\n", at: "big.bin").entry)
    await box.emulator.before("POST /files/upload_sessions/:id/commit") { try $0.put("theirs\n", at: "/top/big.bin") }
    let result = try await storage.write(
      Content(Self.bytes), to: try syncPath("big.bin"), if: .unchanged(entry.revision))
    guard case .refused = result else {
      Issue.record("\(result)")
      return
    }
    #expect(await box.emulator.texts(below: "/top") == ["big.bin": "theirs\n"])
    #expect(await box.emulator.openSessions() == 0)
  }

  @Test("a file that changes while it is sent never appears")
  func changing() async throws {
    let (box, storage) = try await started()
    let content = Content(digest: Digest(of: [1, 2, 3]), size: Self.bytes.count) { () throws(SyncError) in
      try Content(Self.bytes).reader()
    }
    #expect(try await !storage.write(content, to: try syncPath("big.bin"), if: .absent).isDone)
    #expect(await box.emulator.texts(below: "/top").isEmpty)
    #expect(await box.emulator.openSessions() == 0)
  }
}
