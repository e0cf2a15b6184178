import EncryptionTesting
import Testing

@testable import SealedStorage
@testable import SyncKit

/// Encrypted names, and the marker that holds the key they are encrypted with.
@Suite struct SealedNamesTests {
  private let key = RemoteKey(bytes: noise(32), hidesNames: true)

  @Test func `an encrypted path is a valid name everywhere, reveals nothing, and is decrypted again`() throws {
    let names = HiddenNames(key)
    var seen: Set<SyncPath> = []
    for (number, length) in [1, 2, 15, 16, 17, 31, 100, 127, 128].enumerated() {
      let name = noise(length, seed: UInt64(number)).map { $0 == 0 || $0 == 0x2F ? 0x61 : $0 }
      for bytes in [name, Array("folder/".utf8) + name, name + Array("/a.org".utf8)] {
        let path = try #require(SyncPath(bytes: bytes))
        let sealed = try names.sealed(path)
        #expect(sealed == (try names.sealed(path)) && seen.insert(sealed).inserted)
        let digits = Set("abcdefghijklmnopqrstuvwxyz234567".utf8)
        #expect(sealed.parts.allSatisfy { $0.count <= 255 && digits.isSuperset(of: $0) })
        #expect(names.reading(of: sealed) == .path(path))
        #expect(HiddenNames(RemoteKey(bytes: noise(32, seed: 9), hidesNames: true)).reading(of: sealed) == .foreign)
      }
    }
  }

  @Test func `a path component has the same encrypted name in every folder, and the label has the name of a long one`()
    throws
  {
    let names = HiddenNames(key)
    let long = String(repeating: "ü", count: 120)
    let paths = try ["a.org", "sub/a.org", "\(long)/a.org", "sub/\(long)"].map { try #require(SyncPath($0)) }
    let sealed = try paths.map { try names.sealed($0) }
    #expect(sealed[0].name == sealed[1].name && sealed[1].name == sealed[2].name)
    #expect(names.reading(of: sealed[2]) == .shortened && names.reading(of: sealed[3]) == .shortened)
    #expect(sealed[3].name.count <= 255)
    #expect(names.reading(of: try #require(SyncPath("a.org"))) == .foreign)
    #expect(names.reading(of: try #require(SyncPath("aaaa"))) == .foreign)
  }

  @Test func `a label is read only with its key, and contains path, version and content`() throws {
    for text in ["a", "folder/" + String(repeating: "x", count: 300)] {
      let path = try #require(SyncPath(text))
      let content = Content(Array("content of \(text)".utf8))
      for withPath in [false, true] {
        let label = Label(path, number: 7 << 40, content: content, withPath: withPath)
        let sealed = try label.sealed(key)
        #expect(Label(sealed, key) == label && label.path == (withPath ? path : nil))
        #expect(label.content == content.digest && label.size == content.size && label.place == Digest(of: path.bytes))
        #expect(Label(sealed, RemoteKey(bytes: noise(32, seed: 9), hidesNames: true)) == nil)
        // The former format differs in every name, even with the same key.
        let former = RemoteKey(bytes: key.bytes, hidesNames: true, format: .unprovenContent)
        #expect(
          Label(sealed, former) == nil && UnprovenLabel(sealed, former) == nil && UnprovenLabel(sealed, key) == nil)
        for index in sealed.indices {
          var other = sealed
          other[index] ^= 1
          #expect(Label(other, key) == nil)
        }
      }
    }
  }

  @Test func `a marker keeps lines of other programs, and a damaged key line still marks it as encrypted`() throws {
    let seal = SealedMarker.Seal(cipher: "age", key: noise(100))
    for rest in ["", "id x\n", "# one\nid x\ngeneration a 7\n"] {
      let marker = SealedMarker(rest: Array(rest.utf8), seal: seal, clock: noise(36))
      #expect(SealedMarker(marker.bytes) == marker)
    }
    let open = SealedMarker(rest: Array("id x".utf8), seal: seal, clock: nil)
    #expect(SealedMarker(open.bytes).seal == seal)
    for rest in ["", " age", " age ???", " age AAAA more"] {
      let line = "sealed\(rest)"
      #expect(SealedMarker(Array("id x\n\(line)\n".utf8)).seal != nil)
      #expect(RootMarker(Array("id x\n\(line)\n".utf8))?.isEncrypted == true)
    }
    #expect(RootMarker(Array("id x\n".utf8))?.isEncrypted == false)
  }

  @Test func `version numbers survive a restart`() async throws {
    let journal = SmallJournal()
    let path = try #require(SyncPath("a.org"))
    let versions = SealedVersions(journal: journal)
    let mark = SealedVersions.Mark(try await versions.next(), of: Digest(of: [7]))
    try await versions.record(mark, at: Digest(of: path.bytes))
    try await versions.record(SealedVersions.Mark(1_000, of: nil), at: Digest(of: [1]))
    try await versions.flush()
    let later = SealedVersions(journal: journal)
    #expect(try await later.mark(of: path) == mark)
    #expect(try await later.next() == 1_001)
    await later.advance(to: .max)
    #expect(try await later.next() == 1_002)
  }

  @Test func `a version permits itself and later ones, and a removal any with its number`() {
    let version = SealedVersions.Mark(5, of: Digest(of: [1]))
    #expect(version.permits(version) && version.permits(SealedVersions.Mark(6, of: Digest(of: [2]))))
    #expect(!version.permits(SealedVersions.Mark(5, of: Digest(of: [2]))))
    #expect(!version.permits(SealedVersions.Mark(4, of: Digest(of: [1]))))
    let removal = SealedVersions.Mark(5, of: nil)
    #expect(removal.permits(version) && !removal.permits(SealedVersions.Mark(4, of: Digest(of: [1]))))
  }
}

private actor SmallJournal: Journal {
  private var held: [String: [UInt8]] = [:]

  func records() -> [String: [UInt8]] { held }

  func write(_ records: [String: [UInt8]?]) {
    for (key, value) in records { held[key] = value }
  }
}
