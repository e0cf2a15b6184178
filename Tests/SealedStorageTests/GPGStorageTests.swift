import EncryptionTesting
import SyncKit
import SyncKitTesting
import Testing

/// A storage that gpg encrypts.
@Suite(.serialized) struct GPGStorageTests {
  private let path = SyncPath("a.org")!

  @Test func `two devices agree through a storage that gpg encrypts`() async throws {
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
