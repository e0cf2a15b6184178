import Testing

@testable import SyncKit

@Suite("Names that a replica can hold")
struct NamingRulesTests {
  static let composed = "\u{E9}.org", decomposed = "e\u{301}.org"

  @Test("names are treated as equal only under rules that fold them")
  func twins() throws {
    let none = NamingRules()
    let cases = NamingRules(foldsCase: true)
    let forms = NamingRules(foldsUnicode: true)
    let both = NamingRules(foldsCase: true, foldsUnicode: true)
    let table: [(String, String, NamingRules, Bool)] = [
      ("a.org", "A.org", none, false), ("a.org", "A.org", cases, true), ("a.org", "A.org", forms, false),
      (Self.composed, Self.decomposed, none, false), (Self.composed, Self.decomposed, cases, false),
      (Self.composed, Self.decomposed, forms, true), ("É.org", Self.decomposed, both, true),
      ("É.org", Self.decomposed, forms, false), ("ÀÖ", "àö", cases, true), ("a/B", "A/b", cases, true),
      ("a", "b", both, false), ("a", "a ", both, false),
    ]
    for (one, other, rules, collide) in table {
      let keys = try [one, other].map { try #require(SyncPath($0)).collisionKey(under: rules) }
      #expect((keys[0] == keys[1]) == collide, "\(one) \(other) \(rules)")
    }
  }

  @Test("names that are not UTF-8 are compared by bytes")
  func noText() throws {
    let both = NamingRules(foldsCase: true, foldsUnicode: true)
    let (one, other) = (try #require(SyncPath(bytes: [0x61, 0xFF])), try #require(SyncPath(bytes: [0x41, 0xFF])))
    #expect(one.collisionKey(under: both) != other.collisionKey(under: both))
    #expect(one.collisionKey(under: both) == one.collisionKey(under: both))
  }

  @Test("names that are too long, forbidden or not UTF-8 are refused")
  func objections() throws {
    let rules = NamingRules(requiresUTF8: true, maximumNameLength: 5, forbiddenBytes: [0x3A])
    #expect(rules.violation(by: try #require(SyncPath("a/b/12345"))) == nil)
    #expect(rules.violation(by: try #require(SyncPath("a/123456/b"))) != nil)
    #expect(rules.violation(by: try #require(SyncPath("a:b"))) != nil)
    #expect(rules.violation(by: try #require(SyncPath(bytes: [0xFF]))) != nil)
    #expect(NamingRules().violation(by: try #require(SyncPath(bytes: [0xFF]))) == nil)
  }

  @Test("names in another Unicode form than the replica's are refused")
  func forms() throws {
    let table: [(String, UnicodeForm?, Bool)] = [
      (Self.composed, .composed, true), (Self.decomposed, .composed, false), (Self.composed, .decomposed, false),
      (Self.decomposed, .decomposed, true), ("plain.org", .composed, true), ("plain.org", .decomposed, true),
      ("\u{212B}", .composed, false), ("\u{65E5}\u{672C}", .composed, true), (Self.decomposed, nil, true),
      ("e\u{301}/a.org", .composed, false),
    ]
    for (name, form, isHeld) in table {
      let rules = NamingRules(unicodeForm: form)
      let violation = rules.violation(by: try #require(SyncPath(name)))
      #expect((violation == nil) == isHeld, "\(name) \(form?.rawValue ?? "any")")
    }
    #expect(NamingRules(unicodeForm: .composed).violation(by: try #require(SyncPath(bytes: [0xFF]))) == nil)
  }
}

@Suite("Reserved names")
struct ReservedNameTests {
  @Test(
    "temporaries and the marker are reserved",
    arguments: [
      (".syncd-.tmp", true), ("a.org.syncd-x.tmp", true), (".syncd-abc.tmp", true), ("a.syncd-b.syncd-c.tmp", true),
      (".syncd-root", true), (".syncd.tmp", false), ("syncd-a.tmp", false), (".syncd-a.tmp.org", false),
      (".syncd-atmp", false), (".syncd-tmp", false), (".syncd-", false), ("a.tmp", false), (".syncdignore", false),
      (".syncd-root2", false), ("a.syncd-root", false), (".SYNCD-a.tmp", false),
    ])
  func table(name: String, expected: Bool) throws {
    #expect(ReservedName.isReserved(Array(name.utf8)[...]) == expected)
    #expect(PathFilter().accepts(try #require(SyncPath("folder/" + name))) != expected)
    #expect(PathFilter().accepts(try #require(SyncPath(name + "/inside"))) != expected)
  }

  @Test("reserved names stay reserved, whatever a filter includes")
  func negation() throws {
    let filter = PathFilter(include: ["*"], ignore: ["!.syncd-root", "!*.tmp"])
    for name in [".syncd-root", "a.syncd-1.tmp"] { #expect(!filter.accepts(try #require(SyncPath(name)))) }
  }
}

@Suite("Include patterns")
struct IncludeTests {
  @Test("a file is included if a pattern matches it or one of its folders")
  func includes() throws {
    let table: [([String], String, Bool)] = [
      ([], "a.org", true), (["*.org"], "a.org", true), (["*.org"], "deep/a.org", true), (["*.org"], "a.txt", false),
      (["notes/"], "notes/a.org", true), (["notes/"], "notes/deep/a.txt", true), (["notes"], "notes/a.org", true),
      (["notes/"], "notes", false), (["/notes/*.org"], "notes/a.org", true), (["/notes/*.org"], "notes/b/a.org", false),
      (["notes/**"], "notes/b/a.org", true), (["**/*"], "a.org", true), (["**"], "b/a.org", true),
    ]
    for (include, path, expected) in table {
      #expect(PathFilter(include: include).accepts(try #require(SyncPath(path))) == expected, "\(include) \(path)")
    }
  }

  @Test("an included file can be ignored, and the last matching line decides")
  func both() throws {
    let filter = PathFilter(include: ["*.org"], ignore: ["private/", "*.bak.org", "!keep.bak.org"])
    let table = [("a.org", true), ("private/a.org", false), ("a.bak.org", false), ("keep.bak.org", true)]
    for (path, expected) in table { #expect(filter.accepts(try #require(SyncPath(path))) == expected, "\(path)") }
  }
}
