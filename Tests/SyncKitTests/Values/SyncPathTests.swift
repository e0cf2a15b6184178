import Testing

@testable import SyncKit

@Suite("Sync paths")
struct SyncPathTests {
  @Test(
    "a path that climbs, is absolute, or has an empty part or a NUL is refused",
    arguments: [
      "", "/", "/a", "a/", "a//b", "//", ".", "..", "./a", "a/.", "a/./b", "../a", "a/..", "a/../b", "a\0", "\0",
      "a/\0/b",
    ])
  func invalid(text: String) {
    #expect(SyncPath(text) == nil)
  }

  @Test(
    "a path may have any other bytes",
    arguments: [
      "a", "a/b", "...", ".a", "..a", "a..", "a b", " ", "-rf", "~", "C:\\a", "a\nb", "\u{1B}[2J", "a%2Fb", "e\u{301}",
    ])
  func valid(text: String) throws {
    #expect(try #require(SyncPath(text)).bytes == Array(text.utf8))
  }

  @Test("a path need not be UTF-8")
  func bytes() throws {
    let path = try #require(SyncPath(bytes: [0xFF, 0x2F, 0xC3]))
    #expect(path.name.elementsEqual([0xC3]))
    #expect(path.parent == SyncPath(bytes: [0xFF]))
  }

  @Test("paths are equal if their bytes are, whatever Unicode says")
  func equality() throws {
    let composed = try #require(SyncPath("\u{E9}.org"))
    let decomposed = try #require(SyncPath("e\u{301}.org"))
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
  }

  @Test("paths are sorted in the order of a walk with sorted names", arguments: 0..<20 as Range<UInt64>)
  func order(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let paths = Set((0..<200).compactMap { _ in randomPath(&random) })
    #expect(paths.sorted() == walk(paths.map { Array($0.parts)[...] }).compactMap(SyncPath.init(bytes:)))
  }

  @Test("sorting keeps the contents of a folder together")
  func foldersStayTogether() throws {
    let names = ["a", "a/b", "a/b/c", "a/b c", "a b", "a-b", "a.org", "a0"]
    let paths = try names.map { try #require(SyncPath($0)) }
    #expect(paths.shuffled().sorted() == paths)
  }

  @Test("a path is printed without control characters")
  func printing() {
    let table: [([UInt8], String)] = [
      (Array("notes.org".utf8), "notes.org"), (Array("café".utf8), "café"), (Array("a\nb".utf8), "a\\x0ab"),
      (Array("\u{1B}[2J".utf8), "\\x1b[2J"), ([0x61, 0xFF, 0x62], "a\\xffb"), ([0xC3], "\\xc3"), ([0x7F], "\\x7f"),
      ([0xC2, 0x9B], "\\xc2\\x9b"), ([0xF0, 0x9F, 0x98], "\\xf0\\x9f\\x98"), ([], ""),
      ([0xE2, 0x82, 0x41], "\\xe2\\x82A"),
      (Array("👩‍🚀".utf8), "👩‍🚀"), ([0xED, 0xA0, 0x80], "\\xed\\xa0\\x80"), ([0xC0, 0xAF], "\\xc0\\xaf"),
    ]
    for (bytes, text) in table { #expect(printable(bytes) == text) }
  }

  @Test("a path has its parents and siblings")
  func family() throws {
    let path = try #require(SyncPath("a/b/c.org"))
    #expect(path.ancestors.map(\.description) == ["a/b", "a"])
    #expect(path.sibling(Array("d".utf8))?.description == "a/b/d")
    #expect(path.sibling(Array("d/e".utf8))?.description == "a/b/d/e")
    #expect(path.sibling([]) == nil)
    #expect(path.isInside(try #require(SyncPath("a"))))
    #expect(!path.isInside(path))
    #expect(!(try #require(SyncPath("ab"))).isInside(try #require(SyncPath("a"))))
  }

  private func randomPath(_ random: inout SplitMix64) -> SyncPath? {
    let parts = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      ["a", "b", "a.b", "a b", "a-", "A", "é", "0", "!"].randomElement(using: &random) ?? ""
    }
    return SyncPath(parts.joined(separator: "/"))
  }

  /// A depth-first walk: the names of each folder sorted by their bytes, a file before the folder of the same name.
  private func walk(_ files: [ArraySlice<ArraySlice<UInt8>>], below folder: [UInt8] = []) -> [[UInt8]] {
    let byName = Dictionary(grouping: files) { Array($0.first ?? []) }
    return byName.keys.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { name in
      let path = folder.isEmpty ? name : folder + [0x2F] + name
      let inside = (byName[name] ?? []).filter { $0.count > 1 }.map { $0.dropFirst() }
      let isFile = (byName[name] ?? []).contains { $0.count == 1 }
      return (isFile ? [path] : []) + (inside.isEmpty ? [] : walk(inside, below: path))
    }
  }
}
