import Testing

@testable import SyncKit

@Suite("Filters that a remote narrows")
struct PathFilterTests {
  private let store = PathFilter(include: ["*.org", "*.txt"], ignore: ["private/", "*.bak.org"])

  private func expect(_ filter: PathFilter, accepts: [String], refuses: [String]) throws {
    for name in accepts { #expect(filter.accepts(try #require(SyncPath(name))), "\(name)") }
    for name in refuses { #expect(!filter.accepts(try #require(SyncPath(name))), "\(name)") }
  }

  @Test("a narrowed filter accepts what both accept, and nothing that the store excludes")
  func both() throws {
    try expect(
      store.narrowed(include: [], ignore: ["*.txt", "!a.txt", "!private/", "!x.bak.org"]), accepts: ["a.org", "a.txt"],
      refuses: ["b.txt", "private/a.org", "x.bak.org", "a.pdf"])
    try expect(
      store.narrowed(include: ["work/", "in.org", "a.pdf"], ignore: ["work/old"]),
      accepts: ["work/a.org", "in.org", "work/b/c.txt"],
      refuses: ["b.org", "work/old/a.org", "work/a.bak.org", "a.pdf"])
  }

  @Test("a conflict copy is accepted if its file is")
  func conflictCopies() throws {
    let copies = ["secret", "open"].map { "\($0).conflict-20261123T101500Z-laptopabcd.org" }
    let twice = "secret.conflict-20261123T101500Z-laptopabcd.conflict-20261123T111500Z-phoneabcd.org"
    try expect(
      store.narrowed(include: [], ignore: ["secret.org"]), accepts: ["open.org", copies[1]],
      refuses: ["secret.org", copies[0], twice])
    try expect(
      store.narrowed(include: ["secret.org"], ignore: ["*.conflict-*"]), accepts: ["secret.org", copies[0], twice],
      refuses: ["open.org", copies[1]])
  }

  @Test("other patterns are another filter, and no patterns are the same one")
  func text() {
    let filters = [
      store, store.narrowed(include: ["a"], ignore: []), store.narrowed(include: [], ignore: ["a"]),
      store.narrowed(include: ["a", "b"], ignore: []), store.narrowed(include: ["a"], ignore: ["b"]),
    ]
    #expect(Set(filters.map(\.text)).count == filters.count)
    #expect(store.narrowed(include: [], ignore: []).text == store.text)
  }

  @Test("a list with a pattern that matches every path means all")
  func all() {
    #expect(PathFilter.limiting(["**/*"]) == [] && PathFilter.limiting(["*.org", "**"]) == [])
    #expect(PathFilter.limiting(["*.org"]) == ["*.org"])
  }
}
