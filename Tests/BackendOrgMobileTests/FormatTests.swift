import CipherOrgMobile
import Foundation
import ProgramTesting
import SyncKit
import Testing

@testable import BackendOrgMobile
@testable import CipherOrgMobile

/// The files that real Emacs has pushed, as parsed by this program.
@Suite struct FormatTests {
  static let pushes = ["encrypted", "plain-basic", "plain-empty", "plain-names", "plain-noids"]

  static func fixture(_ name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: Desktop.here + "/Fixtures/" + name).map(Array.init)
  }

  private static let cipher = SaltedCipher(password: Array("p4ss \"w$rd\" é".utf8), random: Runtime.real.random)

  private static func staged(_ push: String, _ name: [UInt8]) async throws -> [UInt8]? {
    guard let path = SyncPath(bytes: name) else { return nil }
    guard let bytes = fixture("push/\(push)/expected/staging/\(String(decoding: name, as: UTF8.self))") else {
      return nil
    }
    return cipher.isEncrypted(bytes) ? try await cipher.decrypt(bytes, as: path) : bytes
  }

  @Test("every digest that Emacs wrote matches its file", arguments: pushes)
  func digests(push: String) async throws {
    let list = ChecksumList(try #require(try await Self.staged(push, Array("checksums.dat".utf8))))
    #expect(list.lines.count >= 2)
    for line in list.lines {
      // With encryption, Emacs computes the digest of an existing file from its encrypted form.
      guard !(push == "encrypted" && line.name.elementsEqual("mobileorg.org".utf8)) else { continue }
      let bytes = try #require(try await Self.staged(push, line.name), "\(line.name.string)")
      #expect(list.verifies(bytes, as: line.name) == true, "\(line.name.string)")
      #expect(list.verifies(bytes + [1], as: line.name) == false)
    }
    #expect(list.bytes == (try await Self.staged(push, Array("checksums.dat".utf8))))
    #expect(list.verifies([], as: Array("unknown".utf8)) == nil)
  }

  @Test("an index that Emacs wrote is read and written again unchanged", arguments: pushes)
  func index(push: String) async throws {
    let bytes = try #require(try await Self.staged(push, Array("index.org".utf8)))
    let index = StagingIndex(bytes)
    let list = ChecksumList(try #require(try await Self.staged(push, Array("checksums.dat".utf8))))
    let own = ["index.org", "mobileorg.org"].map { Array($0.utf8) }
    #expect(Set(index.names).isSuperset(of: Set(list.names).subtracting(own)))
    let written = index.bytes.string
    let expected = bytes.string
    #expect(Self.withoutSettings(written) == Self.withoutSettings(expected))
    #expect(!index.todoLines.isEmpty && index.priorities == ["A", "B", "C"])
  }

  private static func withoutSettings(_ index: String) -> [Substring] {
    index.split(separator: "\n").filter { !$0.hasPrefix("#+T") }
  }

  @Test func `names with brackets, spaces and percent signs are used literally`() {
    let index = StagingIndex(
      Array(
        """
        * [[file:a[b]c.org][a[b]c.org]]
        * [[file:my file.org][my file.org]]
        * [[file:per%41.org][per%41.org]]
        ** see [[file:x][y.org][x][y.org]] and more
        * [[file:by hand.org][Title]]
        * [[file:../out.org][../out.org]]
        """.utf8))
    #expect(
      index.names.map(\.string) == ["a[b]c.org", "my file.org", "per%41.org", "x][y.org", "by hand.org", "../out.org"])
  }

  @Test func `digests written by hand are read`() {
    let list = ChecksumList(Array("MD5 (my (own).org) = 68B329DA9893E34099C7D8AD5CB9C940\nnonsense\n".utf8))
    #expect(list.verifies([10], as: Array("my (own).org".utf8)) == true)
    #expect(list.verifies([13, 10], as: Array("my (own).org".utf8)) == true)
    #expect(list.lines.count == 1)
  }

  @Test func `links are escaped as Emacs reads them`() {
    let link = EntryLink.outline(
      file: Array("sub/a:b.org".utf8), path: ["Either/or: choose", "[3/4] Leading", "50%ab"].map { Array($0.utf8) })
    #expect(link.bytes.string == "olp:sub/a%3Ab.org:Either%2For%3A choose/%5B3%2F4%5D Leading/50%25ab")
    #expect(EntryLink(link.bytes) == link)
    #expect(EntryLink(Array("olp:work.org".utf8)) == .outline(file: Array("work.org".utf8), path: []))
    #expect(EntryLink(Array("http://x".utf8)) == nil)
  }

  @Test(
    "tags change in one edit only where Emacs understands it",
    arguments: [
      (":a:b:", ":a:b:c:", 1), (":a:b:c:", ":a:b:", 1), (":a:b:", "", 1), (":a:b:", ":c:a:b:", 2),
      (":a:b:", ":b:a:", 2),
      (":a:b:", ":b:", 2), (":a:b:", ":b:c:", 1), (":a:b:", ":x:y:", 1), ("", ":a:", 1), (":a:", ":a:", 0),
    ])
  func tags(old: String, new: String, steps: Int) {
    let parts = [old, new].map { $0.split(separator: ":").map(String.init) }
    let found = TagLists.steps(from: parts[0], to: parts[1])
    #expect(found.count == steps)
    #expect(found.last ?? parts[0] == parts[1])
  }

  @Test func `an encrypted file matches the output of openssl byte for byte`() async throws {
    let path = try #require(SyncPath("mobileorg.org"))
    let cipher = SaltedCipher(password: Array("secret".utf8), random: Runtime.real.random)
    let sealed = try cipher.seal([10], salt: [1, 2, 3, 4, 5, 6, 7, 8])
    let expected = "53616c7465645f5f0102030405060708decb3632533dbf5f839d7f9fac402b85"
    #expect(sealed.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == expected)
    #expect(try await cipher.decrypt(sealed, as: path) == [10])
    for text in [[], Array("x".utf8), [UInt8](repeating: 7, count: 100_000)] as [[UInt8]] {
      #expect(try await cipher.decrypt(cipher.encrypt(text, as: path), as: path) == text)
    }
    #expect(try await cipher.encrypt([], as: path).count == 32)
    await #expect(throws: SyncError.self) { try await cipher.decrypt(sealed.dropLast(), as: path) }
    await #expect(throws: SyncError.self) { try await cipher.decrypt(Array(sealed.prefix(16)), as: path) }
    await #expect(throws: SyncError.self) { try await cipher.decrypt(Array("plain text".utf8), as: path) }
  }

  @Test func `openssl decrypts what is encrypted here, and the reverse`() async throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl") else {
      return print("*** SKIPPED: openssl is not installed ***")
    }
    let folder = try Desktop()
    let path = try #require(SyncPath("x"))
    let text = Array("Grüße\n* Überschrift\n".utf8)
    try folder.write(await Self.cipher.encrypt(text, as: path), to: "sealed")
    let password = "pass:" + String(decoding: Self.cipher.password, as: UTF8.self)
    for digest in ["md5", "sha256"] {
      let words = ["openssl", "enc", "-md", digest, "-aes-256-cbc", "-salt", "-pass", password]
      if digest == "md5" {
        try Command(words + ["-d", "-in", folder.root + "/sealed", "-out", folder.root + "/plain"]).succeed()
        #expect(folder.bytes("plain") == text)
      }
      try folder.write(text, to: "text")
      try Command(words + ["-in", folder.root + "/text", "-out", folder.root + "/theirs"]).succeed()
      #expect(try await Self.cipher.decrypt(try #require(folder.bytes("theirs")), as: path) == text)
    }
  }
}
