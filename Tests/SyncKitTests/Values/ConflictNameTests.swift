import Testing

@testable import SyncKit

@Suite("Names of conflict copies")
struct ConflictNameTests {
  static let digest = Digest(of: Array("abc".utf8))
  static let time = Timestamp(seconds: 951_782_400)

  @Test(
    "the name has time and device before the extension",
    arguments: [
      ("a.org", "ann", "a.conflict-20000229T000000Z-ann-ba78.org"),
      ("deep/er/a.org", "ann", "deep/er/a.conflict-20000229T000000Z-ann-ba78.org"),
      ("a", "ann", "a.conflict-20000229T000000Z-ann-ba78"),
      (".emacs", "ann", ".emacs.conflict-20000229T000000Z-ann-ba78"),
      ("a.tar.gz", "ann", "a.tar.conflict-20000229T000000Z-ann-ba78.gz"),
      ("a.org", "Ann O'Hara <ann@x.org>", "a.conflict-20000229T000000Z-AnnOHaraannxorg-ba78.org"),
      ("a.org", "my-laptop_2", "a.conflict-20000229T000000Z-my-laptop_2-ba78.org"),
      ("a.org", "-ann-", "a.conflict-20000229T000000Z-ann-ba78.org"),
      ("a.org", "", "a.conflict-20000229T000000Z-ba78.org"),
      ("a.org", "../é/\0", "a.conflict-20000229T000000Z-ba78.org"),
      ("a.", "ann", "a.conflict-20000229T000000Z-ann-ba78."),
    ])
  func names(path: String, who: String, expected: String) throws {
    let name = ConflictName.path(for: try #require(SyncPath(path)), at: Self.time, by: who, digest: Self.digest)
    #expect(name.description == expected)
  }

  @Test(
    "the original's path is derived from the name, but not from names that only look alike",
    arguments: [
      ("a.conflict-20000229T000000Z-annba78.org", "a.org"),
      ("a.conflict-20000229T000000Z-my-laptop-ba78.org", "a.org"), ("a.conflict-20000229T000000Z-annba78", "a"),
      ("deep/er/a.conflict-20000229T000000Z-ba78.org", "deep/er/a.org"),
      (
        "a.conflict-20000229T000000Z-annba78.conflict-20000301T000000Z-bobcafe.org",
        "a.conflict-20000229T000000Z-annba78.org"
      ),
      ("a.org", nil), ("a.conflict-.org", nil), ("a.conflict-20000229T000000-ann.org", nil),
      ("a.conflict-20000229T000000Z.org", nil), (".conflict-20000229T000000Z-annba78.org", nil),
      ("my.conflict-notes-2.org", nil),
    ] as [(String, String?)])
  func original(copy: String, original: String?) throws {
    #expect(ConflictName.original(of: try #require(SyncPath(copy)))?.description == original)
  }

  @Test("a version without a time gets the year 1970")
  func noTime() throws {
    let name = ConflictName.path(for: try #require(SyncPath("a.org")), at: nil, by: "b", digest: Self.digest)
    #expect(name.description == "a.conflict-19700101T000000Z-b-ba78.org")
  }

  // eCryptfs, and gocryptfs on some file systems, allow only shorter names.
  @Test(
    "a long name keeps its limit, its extension and whole characters", arguments: 0..<300 as Range<UInt64>, [143, 255])
  func fits(seed: UInt64, limit: Int) throws {
    var random = SplitMix64(state: seed)
    let stem = (0..<Int.random(in: 1...120, using: &random)).map { _ in
      ["a", "é", "日", "👩", "."].randomElement(using: &random) ?? ""
    }
    let ending = ["", ".org", "." + String(repeating: "x", count: 70)].randomElement(using: &random) ?? ""
    let name = Array((stem.joined() + ending).utf8.prefix(limit))
    guard let text = String(validating: name, as: UTF8.self), let path = SyncPath("folder/" + text) else { return }
    let copy = ConflictName.path(
      for: path, at: Self.time, by: String(repeating: "w", count: 99), digest: Self.digest, digits: 64,
      atMost: limit)
    #expect(copy != path)
    #expect(copy.parent == path.parent)
    #expect(copy.name.count <= limit)
    #expect(String(validating: copy.name, as: UTF8.self) != nil)
    if ending == ".org", text.hasSuffix(".org") { #expect(copy.name.suffix(4).elementsEqual(".org".utf8)) }
  }

  @Test("the name is neither reserved nor ignored")
  func isAUsersFile() throws {
    let filter = PathFilter(ignore: DefaultIgnores.lines)
    for text in ["a.org", "a.tmp", "x.syncd-y.org", ".syncd-x", "a", ".hidden.org"] {
      let copy = ConflictName.path(
        for: try #require(SyncPath(text)), at: Self.time, by: "ann", digest: Self.digest)
      #expect(filter.accepts(copy), "\(copy)")
    }
  }
}
