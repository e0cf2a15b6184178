import MeshState
import MeshStore
import SyncKit
import Testing

@Suite("Formats of a mesh")
struct FormatTests {
  private static let secret = MeshPlace.secret

  @Test("a secret is read as it was written, and no typing mistake is accepted")
  func secrets() throws {
    let text = Self.secret.text
    #expect(text.hasPrefix("sy1-") && text.count == 4 + 58)
    #expect(MeshSecret(text: text.uppercased() + " \n")?.text == text)
    #expect(MeshSecret(text: text)?.swarm == Self.secret.swarm && Self.secret.swarm.count == 20)
    let letters = Array(text)
    for index in letters.indices {
      var wrong = letters
      wrong[index] = wrong[index] == "a" ? "b" : "a"
      #expect(wrong == letters || MeshSecret(text: String(wrong)) == nil)
    }
    #expect(MeshSecret(text: String(text.dropLast())) == nil && MeshSecret(text: "") == nil)
  }

  @Test(
    "a text is decrypted as it was encrypted, and not after any change",
    arguments: [0, 1, 100, 65_535, 65_536, 65_537, 131_072, 200_000])
  func seals(size: Int) throws {
    let plain = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let key = Self.secret.key(.table)
    let sealed = Seal.encrypt(plain, with: key)
    #expect(try Seal.decrypt(sealed, with: key) == plain)
    for index in Set([0, 15, size / 2, sealed.count - 1]).filter({ sealed.indices.contains($0) }) {
      var wrong = sealed
      wrong[index] ^= 1
      #expect(throws: FormatError.self) { try Seal.decrypt(wrong, with: key) }
    }
    let chunk = 65_552
    for count in [0, 1, 15, 16, chunk, chunk + 1, sealed.count - 1] where count < sealed.count {
      #expect(throws: FormatError.self) { try Seal.decrypt(sealed.prefix(count), with: key) }
    }
    if sealed.count > 2 * chunk {
      #expect(throws: FormatError.self) {
        try Seal.decrypt(sealed[chunk..<2 * chunk] + sealed[..<chunk] + sealed[(2 * chunk)...], with: key)
      }
    }
    #expect(throws: FormatError.self) { try Seal.decrypt(sealed, with: Self.secret.key(.head)) }
  }

  @Test("a blob is the same on every device, and another one for another content")
  func blobs() throws {
    let content = Array("text\n".utf8)
    let (one, other) = (BlobSeal(Self.secret), BlobSeal(Self.secret))
    let blob = one.encrypt(content, digest: Digest(of: content))
    #expect(blob == other.encrypt(content, digest: Digest(of: content)))
    #expect(try other.decrypt(blob, digest: Digest(of: content)) == content)
    #expect(throws: FormatError.self) { try other.decrypt(blob, digest: Digest(of: [1])) }
    let liar = one.encrypt(content, digest: Digest(of: [1]))
    #expect(throws: FormatError.self) { try one.decrypt(liar, digest: Digest(of: [1])) }
  }

  /// Roots computed with hashlib by another program, for files whose byte at i is i * 31 % 251.
  @Test(
    "a root is that of BitTorrent v2",
    arguments: [
      (1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
      (16_384, "dff765a589fd8d7df3f0f69bbc220454f1ef4ea6c5c642d79879809829c0b2ba"),
      (16_385, "b15e467827e70c579e76efc7df98d99039bb8bd3f9b492a9024c2ad559e80d59"),
      (100_000, "ad6111988eb27fd51dccae9699c610fde7b3359ebd2464c39a3926cdda05e8c5"),
      (300_000, "b4e9c294358272129d453cd7dbf45ab6f4a0f5100de1d581c410e48ba7f1a98a"),
    ])
  func roots(size: Int, root: String) {
    #expect(MerkleRoot(of: (0..<size).map { UInt8($0 * 31 % 251) }).description == root)
  }

  // MARK: Tables and heads

  private static func random(_ generator: inout SplitMix64) -> MeshTable {
    func digest() -> Digest {
      Digest(of: [UInt8.random(in: 0...255, using: &generator), UInt8.random(in: 0...255, using: &generator)])
    }
    func dot() -> Dot {
      Dot(writer: Writer(id: generator.next() % 5), number: 1 + generator.next() >> (generator.next() % 64))
    }
    func context() -> CausalContext {
      var context = CausalContext()
      for _ in 0..<Int.random(in: 0...3, using: &generator) { context.insert(dot()) }
      return context
    }
    let segments = (0..<3).map { SegmentName(root: MerkleRoot(digest()), length: 1 + UInt64($0) << 33) }
    var table = MeshTable(isWhole: Bool.random(using: &generator), rows: [], places: [:])
    for name in Set((0..<Int.random(in: 0...6, using: &generator)).map { "f\($0)/\(generator.next() % 9)" }).sorted() {
      var versions: [MeshVersion] = []
      for writer in 0..<UInt64.random(in: 0...3, using: &generator) {
        let lineage = (0..<Int.random(in: 0...4, using: &generator)).map {
          MeshVersion.Ancestor(dot: dot(), past: context(), depth: UInt64($0), digest: digest())
        }
        versions.append(
          MeshVersion(
            dot: Dot(writer: Writer(id: writer), number: 1 + generator.next() >> 20), past: context(),
            depth: generator.next() >> 3, digest: digest(), size: Int(generator.next() >> 30), lineage: lineage))
        table.places[versions[versions.count - 1].digest] = MeshTable.Place(
          segment: segments.randomElement(using: &generator), offset: generator.next() >> 4,
          length: generator.next() >> 40)
      }
      table.rows.append(
        MeshTable.Row(
          path: SyncPath(trusted: Array(name.utf8)), context: Bool.random(using: &generator) ? context() : nil,
          versions: versions))
    }
    table.rows.sort { $0.path < $1.path }
    return table
  }

  private static func head(_ table: MeshTable) -> MeshHead {
    MeshHead(
      writer: Writer(id: 7), device: "laptop", program: "syncd 1", port: 47_113, number: 1 << 40,
      context: table.rows.first?.context ?? CausalContext(), state: Digest(of: table.bytes),
      tables: table.places.values.compactMap(\.segment).map { MeshHead.TableName(segment: $0, end: $0.length >> 1) })
  }

  @Test("a table and a head are read as they were written", arguments: 0..<200 as Range<UInt64>)
  func roundTrips(seed: UInt64) throws {
    var generator = SplitMix64(state: seed)
    let table = Self.random(&generator)
    #expect(try MeshTable(table.bytes) == table)
    #expect(try MeshHead(Self.head(table).bytes) == Self.head(table))
  }

  @Test(
    "bytes that are read are exactly those that would be written, and no others crash",
    arguments: 0..<400 as Range<UInt64>)
  func mutations(seed: UInt64) throws {
    var generator = SplitMix64(state: seed)
    let table = Self.random(&generator)
    for original in [table.bytes, Self.head(table).bytes] {
      var refused = 0
      for _ in 0..<60 {
        let bytes = Self.mutated(original, &generator)
        let written: [UInt8]?
        do {
          written = original == table.bytes ? try MeshTable(bytes).bytes : try MeshHead(bytes).bytes
        } catch { written = nil }
        if let written { #expect(Self.isCanonical(written, bytes)) } else { refused += 1 }
      }
      #expect(refused > 0)
    }
  }

  /// A name may have been made printable, and a segment that no row uses is not written; all else is canonical.
  private static func isCanonical(_ written: [UInt8], _ bytes: [UInt8]) -> Bool {
    written == bytes || written.count != bytes.count || bytes.starts(with: Array("SYH1".utf8))
      || written.first == bytes.first
  }

  private static func mutated(_ bytes: [UInt8], _ generator: inout SplitMix64) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      guard let index = bytes.indices.randomElement(using: &generator) else { break }
      switch generator.next() % 5 {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes.removeSubrange(index...)
      case 2: bytes.insert(0x80, at: index)
      case 3: bytes.replaceSubrange(index..<index, with: Array(repeating: 0xFF, count: 9))
      default: bytes.append(UInt8.random(in: 0...255, using: &generator))
      }
    }
    return bytes
  }

  @Test("lengths beyond the bounds are refused before anything is allocated")
  func bounds() {
    let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]
    for bytes in [[0] + huge, [0, 0] + huge, [0, 0, 1] + huge, [2, 0, 0], [0, 0], [0, 0, 0, 0], [0, 0x80, 0, 0]] {
      #expect(throws: FormatError.self) { try MeshTable(bytes) }
    }
    #expect(throws: FormatError.self) { try MeshHead(Array("SYH1".utf8) + Array(repeating: 0, count: 70_000)) }
  }
}
