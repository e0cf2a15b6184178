import Testing

@testable import OrgKit

/// The part of a file that matches, and the whole file after the part was edited.
@Suite struct OrgPartTests {
  private func selection(_ text: String, _ match: String = "+mobile-private") throws -> OrgPart.Selection {
    OrgPart.select(try #require(OrgMatch(match)), in: Array(text.utf8))
  }

  private func part(_ text: String, _ match: String = "+mobile-private") throws -> OrgPart {
    switch try selection(text, match) {
    case .part(let part), .nothing(let part): return part
    case .uncertain(let reason): throw Uncertain(reason: reason)
    }
  }

  private struct Uncertain: Error { var reason: String }

  private func shown(_ text: String, _ match: String = "+mobile-private") throws -> String {
    String(decoding: try part(text, match).bytes, as: UTF8.self)
  }

  /// Returns the whole file after an edit of its part; "-" if it is removed, "refused: …" if the edit is.
  private func whole(_ text: String, _ edit: String?, _ match: String = "+mobile-private") throws -> String {
    switch try part(text, match).replaced(by: edit.map { Array($0.utf8) }) {
    case .file(let bytes): String(decoding: bytes, as: UTF8.self)
    case .removed: "-"
    case .refused(let reason): "refused: \(reason)"
    }
  }

  // MARK: Selecting

  @Test(
    "a part has the matching subtrees and nothing else",
    arguments: [
      ("* A :mobile:\ntext\n* B\n", "* A :mobile:\ntext\n"),
      ("* A\n** B :mobile:\n*** C\n* D\n", "* B :mobile:\n** C\n"),
      ("* A :mobile:\n** B :private:\n*** C\n** D\n", "* A :mobile:\n** D\n"),
      ("* A :private:\n** B :mobile:\n", ""),
      ("* A :mobile:\n** B :private:\n*** C :mobile:\n** D\n", "* A :mobile:\n** D\n"),
      (
        "#+TITLE: T\n#+TODO: A | B\n#+FILETAGS: :mobile:\ntext\n\n* A\n* B :private:\n",
        "#+TODO: A | B\n#+FILETAGS: :mobile:\n\n* A\n"
      ),
      ("#+FILETAGS: :private:\n* A :mobile:\n", ""),
      ("text\n\n\n* A :mobile:\n\n* B\n\n* C :mobile:", "* A :mobile:\n\n* C :mobile:\n"),
      ("* A :mobile:\n*************** TODO task :private:\n*************** END\n** B\n", "* B\n"),
      ("* A :mobile:\n** B :Private:\n", "* A :mobile:\n"),
      ("#+TAGS: [ private : salary health ]\n* A :mobile:\n** B :salary:\n", "* A :mobile:\n"),
      ("#+TAGS: { mobile : phone(p) watch }\n* A :watch:\n* B\n", "* A :watch:\n"),
      ("* A :mobile:\r\n** B :private:\r\n** C\r\n", "* A :mobile:\r\n** C\r\n"),
      ("* B\r\n* A :mobile:\r\ntext", "* A :mobile:\r\ntext\r\n"),
      ("* A :mobile:\n** B :private: \n** C :private:x:\n", "* A :mobile:\n"),
    ])
  func selecting(whole: String, part: String) throws { #expect(try shown(whole) == part) }

  @Test(
    "terms that are not inherited select a subtree by its top, and exclude single entries in it",
    arguments: [
      ("mobile/TODO", "* TODO A :mobile:\n** B\n** DONE C\n* D :mobile:\n", "* TODO A :mobile:\n** B\n** DONE C\n"),
      ("mobile/-DONE", "* A :mobile:\n** DONE B\n*** C\n", "* A :mobile:\n* C\n"),
      ("/!", "* TODO A\n** DONE B\n** C\n", "* TODO A\n** C\n"),
      ("+a-x|+b-y", "* A :a:\n** B :b:x:\n** C :x:\n** D :y:\n", "* A :a:\n** B :b:x:\n** D :y:\n"),
      (
        "K=\"v\"-private", "* A\n:PROPERTIES:\n:K: v\n:END:\n** B\n** C :private:\n",
        "* A\n:PROPERTIES:\n:K: v\n:END:\n** B\n"
      ),
    ])
  func alternatives(match: String, whole: String, part: String) throws { #expect(try shown(whole, match) == part) }

  @Test(
    "a file whose tags or states are uncertain has no part",
    arguments: [
      "#+SETUPFILE: x.org\n* A :mobile:\n", "* A :mobile:\n#+FILETAGS: :private:\n", "* A :mobile:\n#+TODO: X | Y\n",
      "#+begin_example\n#+FILETAGS: :mobile:\n#+end_example\n* A\n", "* A :mobile:\u{0}\n",
      "#+TAGS: [ private : {P@.+} ]\n* A :mobile:\n",
    ])
  func uncertain(text: String) throws {
    guard case .uncertain = try selection(text) else {
      Issue.record("\(text) has a part")
      return
    }
  }

  @Test func `a file that is not UTF-8 has no part`() throws {
    let bytes = Array("* A :mobile:\n** B :priv\u{0}".utf8.dropLast()) + [0xE9] + Array(":\n".utf8)
    guard case .uncertain = OrgPart.select(try #require(OrgMatch("mobile")), in: bytes) else {
      Issue.record("it has a part")
      return
    }
  }

  // MARK: Putting back

  private static let file = """
    #+TITLE: T
    #+TODO: TODO | DONE

    * One :mobile:
    text
    ** Hidden 1 :private:
    secret
    ** Child
    * Other
    ** Two :mobile:
    *** Deep
    * Three :mobile:
    ** Hidden 3 :private:

    """
  private static let edited =
    "#+TODO: TODO | DONE\n\n* One :mobile:\ntext\n** Child\n* Two :mobile:\n** Deep\n* Three :mobile:\n"

  @Test func `the part of the example is as the other cases expect`() throws {
    #expect(try shown(Self.file) == Self.edited)
  }

  @Test(
    "an edited part is put back into its places",
    arguments: [
      (
        "text\n** Child", "new\nlines\n** DONE Child", "text\n** Hidden 1 :private:\nsecret\n** Child",
        "new\nlines\n** Hidden 1 :private:\nsecret\n** DONE Child"
      ),
      ("** Deep", "** Deep\nmore\n** New", "*** Deep", "*** Deep\nmore\n*** New"),
      ("* Three", "* New :mobile:\n** Sub\n* Three", "*** Deep", "*** Deep\n** New :mobile:\n*** Sub"),
      ("* One", "* First :mobile:\n* One", "* One", "* First :mobile:\n* One"),
      ("* Three :mobile:\n", "* Three :mobile:\n* End\n", "** Hidden 3 :private:\n", "** Hidden 3 :private:\n* End\n"),
      ("* Two :mobile:\n** Deep\n", "", "** Two :mobile:\n*** Deep\n", ""),
      // The hidden child of a deleted entry takes its place.
      ("* Three :mobile:\n", "", "* Three :mobile:\n** Hidden 3", "* Hidden 3"),
      ("* Three :mobile:", "* Three", "* Three :mobile:", "* Three"),
      ("#+TODO: TODO | DONE\n", "#+TODO: TODO | DONE\nnote\n", "#+TODO: TODO | DONE\n", "#+TODO: TODO | DONE\nnote\n"),
      // An entry that moved takes its hidden child along.
      (
        "* Two :mobile:\n** Deep\n* Three :mobile:\n", "* Two :mobile:\n** Deep\n** Three :mobile:\n",
        "* Three :mobile:\n** Hidden 3 :private:\n", "*** Three :mobile:\n**** Hidden 3 :private:\n"
      ),
    ])
  func replacing(old: String, new: String, at place: String, with result: String) throws {
    let edit = Self.edited.replacing(old, with: new)
    #expect(edit != Self.edited)
    let expected = Self.file.replacing(place, with: result)
    let found = try whole(Self.file, edit)
    #expect(found == expected, "\(found)")
  }

  @Test func `an unchanged part changes nothing`() throws { #expect(try whole(Self.file, Self.edited) == Self.file) }

  @Test func `a deleted part leaves what is hidden`() throws {
    #expect(
      try whole(Self.file, nil)
        == "#+TITLE: T\n#+TODO: TODO | DONE\n* Hidden 1 :private:\nsecret\n* Other\n* Hidden 3 :private:\n")
    #expect(try whole("#+TODO: A | B\n* A :mobile:\n** B\n", nil) == "-")
    #expect(try whole("#+TITLE: T\n* A :mobile:\n", nil) == "#+TITLE: T\n")
  }

  @Test(
    "an edit that would show a hidden entry is refused",
    arguments: [
      ("* A :mobile:\n* B\n", "#+FILETAGS: :mobile:\n* A :mobile:\n", "+mobile-private"),
      ("* A :a:\n** B :x:\n", "* A :a:b:\n", "+a-x|+b"), ("* A :a:\n** B :x:c:\n", "", "+a-x|+c-a"),
      ("* A :mobile:\n* B\n", "#+SETUPFILE: x\n* A :mobile:\n", "mobile"),
    ])
  func refusing(file: String, edit: String, match: String) throws {
    #expect(try whole(file, edit, match).hasPrefix("refused: "))
  }

  @Test func `entries that an earlier pass brought home are not added again`() throws {
    #expect(try whole("* A :mobile:\n* N\ntext\n", "* A :mobile:\n* N\ntext\n") == "* A :mobile:\n* N\ntext\n")
    #expect(try whole("* N\n** M\n", "* N\n** M\n") == "* N\n** M\n")
    #expect(try whole("* N\n** M\n", "* N\n** M\n** O\n") == "* N\n** M\n** O\n")
  }

  @Test(
    "other forms of files come back as they were",
    arguments: [
      "* A :mobile:\r\ntext\r\n* B\r\n", "\u{FEFF}* A :mobile:\n* B", "* B\n\n\n* A :mobile:\n\n\n",
      "text\n* B\n* A :mobile:",
      "* A :mobile:\n\n\n* B\n", "** B\n* A :mobile:\n*** C\n** D :private:\n",
    ])
  func forms(text: String) throws {
    let part = try part(text)
    #expect(try whole(text, String(decoding: part.bytes, as: UTF8.self)) == text)
    let longer = try whole(text, String(decoding: part.bytes, as: UTF8.self) + "* New\n")
    #expect(
      longer.contains("* New")
        && longer.replacing("* New\n", with: "").replacing("* New", with: "").count >= text.count - 2)
  }

  @Test func `a new entry follows a last line without an end, as the other lines end`() throws {
    #expect(
      try whole("* A :mobile:\r\n* B", "* A :mobile:\r\n* New\r\n") == "* A :mobile:\r\n* B\r\n* New\r\n")
    #expect(
      try whole("* B\r\n* A :mobile:", "* A :mobile:\r\n* New\r\n") == "* B\r\n* A :mobile:\r\n* New\r\n")
    #expect(try whole("* B\r\n* A :mobile:", "* A :mobile:\r\n") == "* B\r\n* A :mobile:")
    #expect(try whole("* A :mobile:\n* B", "* A :mobile:\n* New\n") == "* A :mobile:\n* B\n* New\n")
  }
}
