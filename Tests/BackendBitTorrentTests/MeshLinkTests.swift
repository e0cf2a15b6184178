import MeshStore
import SyncKit
import Testing

@testable import BackendBitTorrent

@Suite("A link between two devices")
struct MeshLinkTests {
  private static let secret = MeshSecret { Array(repeating: 1, count: $0) }
  private static let other = MeshSecret { Array(repeating: 2, count: $0) }

  private static func pair(_ one: MeshSecret = secret, _ two: MeshSecret = secret, seed: UInt8 = 0) -> (
    MeshLink, MeshLink
  ) {
    (
      MeshLink(host: "b", isOutgoing: true, nonce: Array(repeating: 3 + seed, count: 32), one),
      MeshLink(host: "a", isOutgoing: false, nonce: Array(repeating: 4 + seed, count: 32), two)
    )
  }

  private static func proofs(_ a: inout MeshLink, _ b: inout MeshLink) throws -> (a: [UInt8], b: [UInt8]) {
    guard case .hello(let proofA) = try a.receive(b.hello), case .hello(let proofB) = try b.receive(a.hello) else {
      throw FormatFailure()
    }
    return (proofA, proofB)
  }

  private struct FormatFailure: Error {}

  private static func linked(seed: UInt8 = 0) throws -> (MeshLink, MeshLink) {
    var (a, b) = pair(seed: seed)
    let proofs = try proofs(&a, &b)
    _ = try (a.receive(proofs.b), b.receive(proofs.a))
    return (a, b)
  }

  @Test("two devices with one secret exchange heads and segments")
  func exchange() throws {
    var (a, b) = try Self.linked()
    #expect(a.isProved && b.isProved)
    let message = try a.message(head: [1, 2, 3], random: Array(repeating: 9, count: 12))
    #expect(try b.receive(message) == .head([1, 2, 3]))
    #expect(try a.receive(MeshLink.message(segment: [5])) == .segment([5]))
    let recipe = try a.message(recipe: [7, 8], random: Array(repeating: 9, count: 12))
    #expect(try b.receive(recipe) == .recipe([7, 8]))
    #expect(recipe.dropFirst(13).prefix(2) != [7, 8])
    // Neither is taken for the other.
    for (kind, other) in [(UInt8(2), recipe), (4, message)] {
      #expect(throws: FormatError.self) { try b.receive([kind] + Array(other.dropFirst())) }
    }
  }

  @Test("a device with another secret is refused, and has got nothing but a hello and a proof")
  func stranger() throws {
    var (a, b) = Self.pair(Self.secret, Self.other)
    let proofs = try Self.proofs(&a, &b)
    #expect(throws: FormatError.self) { try a.receive(proofs.b) }
    #expect(throws: FormatError.self) { try b.receive(proofs.a) }
    #expect(!a.isProved && a.hello.count == 34 && proofs.a.count == 33)
  }

  @Test("nothing but a hello is accepted before a proof")
  func early() throws {
    var (a, b) = Self.pair()
    let (linkedA, _) = try Self.linked()
    let head = try linkedA.message(head: [1], random: Array(repeating: 9, count: 12))
    for message in [
      [], [1] + Array(repeating: 0, count: 32), head, [3, 1], [4] + Array(head.dropFirst()), [0], [0, 2],
      [0, 1] + Array(repeating: 0, count: 32),
    ] {
      #expect(throws: FormatError.self) { try a.receive(message) }
    }
    _ = try b.receive(a.hello)
    #expect(throws: FormatError.self) { try b.receive(head) }
    #expect(throws: FormatError.self) { try b.receive(a.hello) }
  }

  @Test("what was sent on one link is refused on another one, and on its way back")
  func replayed() throws {
    var (a, b) = try Self.linked()
    let head = try a.message(head: [1], random: Array(repeating: 9, count: 12))
    #expect(throws: FormatError.self) { try a.receive(head) }
    var (_, later) = try Self.linked(seed: 10)
    #expect(throws: FormatError.self) { try later.receive(head) }
    var cut = head
    cut.removeLast()
    #expect(throws: FormatError.self) { try b.receive(cut) }
    // The proof of one side is not that of the other one.
    var (c, d) = Self.pair()
    let proofs = try Self.proofs(&c, &d)
    #expect(throws: FormatError.self) { try c.receive(proofs.a) }
    #expect(throws: FormatError.self) { try b.receive(MeshLink.message(segment: Array(repeating: 0, count: 49_153))) }
  }

  @Test("the address of a peer is a name or an IP address, and a port")
  func addresses() {
    #expect(PeerAddress("192.0.2.7:47113").map { [$0.host, "\($0.port)"] } == ["192.0.2.7", "47113"])
    #expect(PeerAddress("[2001:db8::7]:80")?.host == "2001:db8::7")
    for host in ["home.example.org", "desk", "1.example", "a-b.example"] {
      #expect(PeerAddress("\(host):80")?.host == host)
    }
    for text in [
      "", "192.0.2:80", "999.0.2.7:80", "-a.example:80", "a..example:80", "a b:80", "a_b:80", ":80", "[desk]:80",
      "192.0.2.7", "192.0.2.7:0", "192.0.2.7:65536", "2001:db8::7:80", "[::1]", "192.0.2.7:80 x",
    ] {
      #expect(PeerAddress(text) == nil, "\(text)")
    }
  }

  @Test("lines of the helper are read, and others ignored")
  func lines() {
    #expect(HelperEvent(line: "listening 4711") == .listening(port: 4_711))
    #expect(HelperEvent(line: "link 3 [::1]:80 out") == .link(3, host: "::1", isOutgoing: true))
    #expect(HelperEvent(line: "link 3 10.0.0.1:80 in") == .link(3, host: "10.0.0.1", isOutgoing: false))
    #expect(HelperEvent(line: "message 1 00ff") == .message(1, [0, 255]))
    #expect(HelperEvent(line: "traffic 12 3456789012") == .traffic(up: 12, down: 3_456_789_012))
    let root = String(repeating: "ab", count: 32)
    let digest = Digest(hexadecimal: root).map(MerkleRoot.init)
    #expect(HelperEvent(line: "progress \(root) 16384") == digest.map { .progress($0, done: 16_384) })
    #expect(HelperEvent(line: "unlink 1 gone") == .unlink(1, reason: "gone"))
    for line in [
      "", "x", "message 1 0", "message 1 zz", "link x 1:1 in", "listening 70000", "traffic 1", "progress 12 1",
      "complete 12", "new thing",
    ] {
      #expect(HelperEvent(line: line) == nil)
    }
  }
}
