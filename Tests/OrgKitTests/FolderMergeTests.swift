import Foundation
import OrgKit
import Testing

@Suite("Merging folders")
struct FolderMergeTests {
  @Test("a folder merge has the expected files and status, with the sides in either order", arguments: MergeCase.trees)
  func expected(example: MergeCase) throws {
    let (base, ours, theirs) = try (example.folder("base"), example.folder("ours"), example.folder("theirs"))
    let expected = try example.folder("expected")
    for sides in [(ours, theirs), (theirs, ours)] {
      let merge = OrgMerge.merge(base: base, ours: sides.0, theirs: sides.1)
      #expect(merge.isClean == example.isClean)
      #expect(merge.files == expected)
    }
  }

  @Test("a file deleted on one side and edited on the other stays whole and is flagged")
  func deletedFile() {
    let base = folder(["a.org": "* One\ntext\n* Two\n"])
    let merge = OrgMerge.merge(base: base, ours: [:], theirs: folder(["a.org": "* One\nnew text\n* Two\n"]))
    #expect(merge.conflicts == ["a.org"])
    #expect(
      merge.files["a.org"].map(text) == """
        * One
        new text
        * Two
        * File conflict :CONFLICT:
        :CONFLICT:
        - [X] file: keep
        - [ ] file: delete
        :END:

        """)
  }

  @Test("a file deleted on one side and unchanged on the other is deleted")
  func untouchedFile() {
    let base = folder(["a.org": "* One\n", "b.txt": "x\n", "c.org": "* C\n"])
    let merge = OrgMerge.merge(base: base, ours: folder(["c.org": "* C\n"]), theirs: base)
    #expect(merge.isClean)
    #expect(merge.files.keys.sorted() == ["c.org"])
  }

  @Test("entries of a split file are moved with the other side's edits")
  func split() {
    let base = folder(["a.org": "* One\nfirst text here\n* Two\nsecond text here\n"])
    let ours = folder(["a.org": "* One\nfirst text here\n", "b.org": "* Two\nsecond text here\n"])
    let theirs = folder(["a.org": "* One\nfirst text here\n* DONE Two\nsecond text here\n"])
    let merge = OrgMerge.merge(base: base, ours: ours, theirs: theirs)
    #expect(merge.isClean)
    #expect(
      merge.files.mapValues(text) == ["a.org": "* One\nfirst text here\n", "b.org": "* DONE Two\nsecond text here\n"])
  }

  @Test("other text merges by lines, and both versions stay if that fails")
  func otherText() {
    let base = folder(["a.txt": "1\n2\n3\n4\n"])
    let clean = OrgMerge.merge(
      base: base, ours: folder(["a.txt": "0\n2\n3\n4\n"]), theirs: folder(["a.txt": "1\n2\n3\n5\n"]))
    #expect(clean.files.mapValues(text) == ["a.txt": "0\n2\n3\n5\n"])
    let both = OrgMerge.merge(
      base: base, ours: folder(["a.txt": "x\n2\n3\n4\n"]), theirs: folder(["a.txt": "y\n2\n3\n4\n"]))
    #expect(both.conflicts == ["a.txt"])
    #expect(Set(both.files.values.map(text)) == ["x\n2\n3\n4\n", "y\n2\n3\n4\n"])
  }

  @Test("two different renames of a file conflict, and the smaller path wins")
  func renamedTwice() {
    let content = "* One\ntext\n* Two\n"
    let merge = OrgMerge.merge(
      base: folder(["a.org": content]), ours: folder(["z.org": content]), theirs: folder(["b.org": content + "more\n"]))
    #expect(merge.conflicts == ["b.org"])
    #expect(merge.files["b.org"].map(text)?.hasPrefix(content + "more\n") == true)
  }

  @Test("names that differ only in their Unicode form are different files")
  func unicodeForms() {
    let (composed, decomposed): (OrgMerge.Path, OrgMerge.Path) = ("\u{E9}.org", "e\u{301}.org")
    let base: OrgMerge.Folder = [composed: Array("* One\n".utf8), decomposed: Array("* Two\n".utf8)]
    let ours: OrgMerge.Folder = [composed: Array("* DONE One\n".utf8), decomposed: Array("* Two\n".utf8)]
    let theirs: OrgMerge.Folder = [composed: Array("* One\n".utf8), decomposed: Array("* DONE Two\n".utf8)]
    let merge = OrgMerge.merge(base: base, ours: ours, theirs: theirs)
    #expect(merge.isClean)
    #expect(merge.files[composed].map(text) == "* DONE One\n")
    #expect(merge.files[decomposed].map(text) == "* DONE Two\n")
  }

  private func folder(_ files: [String: String]) -> OrgMerge.Folder {
    Dictionary(uniqueKeysWithValues: files.map { (OrgMerge.Path($0), Array($1.utf8)) })
  }
}

extension MergeCase {
  /// The files in a folder of the case.
  fileprivate func folder(_ name: String) throws -> OrgMerge.Folder {
    let root = folder.appending(path: name)
    var files: OrgMerge.Folder = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: root.path()) {
      let file = root.appending(path: path)
      if !file.hasDirectoryPath, let data = try? Data(contentsOf: file) { files[OrgMerge.Path(path)] = Array(data) }
    }
    return files
  }
}
