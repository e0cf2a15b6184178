import EncryptionTesting
import Foundation
import ProgramTesting
import SyncKit
import SyncKitTesting
import Synchronization
import Testing

@testable import SealedStorage

/// A storage that is encrypted with gpg.
@Suite(.serialized) struct GPGStorageTests {
  private let path = SyncPath("a.org")!

  @Test func `a small message does not expand to a large one`() async throws {
    guard let home = try GPGHome() else { return }
    try await home.makeKey("Ann <ann@example.org>")
    defer { withExtendedLifetime(home) {} }
    let cipher = try await home.cipher(["ann@example.org"])
    let plain = FileManager.default.createFile(atPath: home.scratch.path + "/zeros", contents: nil)
    #expect(plain)
    try #require(FileHandle(forWritingAtPath: home.scratch.path + "/zeros")).truncate(atOffset: 300_000_000)
    try await home.gpg("-r", "ann@example.org", "-o", "bomb", "-e", "zeros")
    let bomb = try #require(home.scratch.read("bomb"))
    #expect(bomb.count < 2_000_000)
    let counter = CountingSink()
    let sink = DecryptingSink(cipher, RemoteKey(bytes: noise(32), hidesNames: false), into: counter)
    let encrypted = try await sink.receive(size: bomb.count) { intake throws(SyncError) in
      for start in stride(from: 0, to: bomb.count, by: 1 << 16) {
        try await intake.write(Array(bomb[start..<min(bomb.count, start + (1 << 16))]))
      }
    }
    guard case .failure(let error)? = sink.result(for: encrypted.digest) else {
      Issue.record("the message was accepted")
      return
    }
    #expect(error.code == .suspect && error.message.contains("decrypts to more than"), "\(error)")
    #expect(counter.size <= bomb.count)
  }

  @Test func `two devices converge through a storage that gpg encrypts`() async throws {
    guard let home = try GPGHome() else { return }
    try await home.makeKey("Ann <ann@example.org>")
    defer { withExtendedLifetime(home) {} }
    let remote = MemoryStorage()
    let devices = try await [
      TestDevice("first", storage: remote, home.cipher(["ann@example.org"])),
      TestDevice("second", storage: remote, home.cipher(["ann@example.org"])),
    ]
    try await devices[0].write("one\n", to: "a.org")
    try await devices[0].write("two\n", to: "b.org")
    for device in devices { #expect(await device.sync().result == .synced) }
    #expect(try await devices[1].texts() == ["a.org": "one\n", "b.org": "two\n"])
    let contents = await remote.contents
    await remote.put(try #require(contents[path]), at: SyncPath("b.org")!)
    #expect(await devices[1].sync().result == .held)
  }
}

/// Counts the bytes that arrive.
private final class CountingSink: ContentSink, ContentIntake {
  private let count = Mutex(0)
  var size: Int { count.withLock { $0 } }

  func receive(
    size: Int, _ body: (any ContentIntake) async throws(SyncError) -> Void
  ) async throws(SyncError) -> (digest: Digest, size: Int) {
    try await body(self)
    return (.empty, self.size)
  }

  func write(_ chunk: [UInt8]) { count.withLock { $0 += chunk.count } }
}
