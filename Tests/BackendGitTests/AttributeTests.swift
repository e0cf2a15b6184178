import GitObjects
import ProgramTesting
import SyncKit
import Testing

@testable import BackendGit

@Suite("Git attributes") struct AttributeTests {
  private static let texts = [
    "": "*.bin filter=lfs diff=lfs merge=lfs -text\n/secret/** filter=git-crypt\n*.u16 working-tree-encoding=UTF-16\n"
      + "[attr]big filter=lfs -text\n*.jpg big\n*.dat binary\n",
    "notes": "*.txt text\n*.keep -text\n*.bin !filter\n", "dos": "* text=auto eol=crlf\n*.dat binary\n*.jpg -filter\n",
  ]

  private var attributes: Attributes {
    var attributes = Attributes()
    for folder in ["", "notes", "dos"] {
      attributes.add(Array(Self.texts[folder, default: ""].utf8), in: Array(folder.utf8))
    }
    return attributes
  }

  @Test(
    "attributes tell which files the repository stores in another form",
    arguments: [
      ("a.bin", true), ("x/y/a.bin", true), ("secret/a/b", true), ("notes/a.bin", false), ("a.u16", true),
      ("a.org", false),
      ("dos/a.bin", true), ("dos/a.org", false), ("x/a.jpg", true), ("dos/a.jpg", false), ("a.dat", false),
      (".syncd-root", false),
    ])
  func conversion(path: String, isConverted: Bool) {
    #expect((attributes.requirements(of: Array(path.utf8)).conversion != nil) == isConverted)
  }

  @Test(
    "attributes tell which files the repository stores with LF only",
    arguments: [
      ("a.txt", false), ("notes/a.txt", true), ("notes/a.keep", false), ("dos/a.org", true), ("dos/sub/a", true),
      ("dos/a.dat", false),
    ])
  func lineEnds(path: String, wantsLF: Bool) {
    #expect(attributes.requirements(of: Array(path.utf8)).wantsLF == wantsLF)
  }

  @Test("attributes match git's for every file")
  func againstGit() throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let hand = try repo.clone()
    for (folder, text) in Self.texts {
      try hand.write(text, to: folder.isEmpty ? ".gitattributes" : folder + "/.gitattributes")
    }
    let paths = ["", "notes/", "dos/", "secret/", "secret/deep/", "a/b/"].flatMap { folder in
      ["a.bin", "a.txt", "a.org", "a.keep", "a.u16", "a.jpg", "a.dat"].map { folder + $0 }
    }
    let said = try hand.git(["check-attr", "-z", "filter", "working-tree-encoding", "--"] + paths)
    let words = said.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
    var converted: Set<String> = []
    for start in stride(from: 0, to: words.count - 2, by: 3) where !["unspecified", "unset"].contains(words[start + 2])
    {
      converted.insert(words[start])
    }
    #expect(Set(paths.filter { attributes.requirements(of: Array($0.utf8)).conversion != nil }) == converted)
  }

  @Test("a file with a filter is ignored, and wrong line ends are reported")
  func respected() async throws {
    let repo = try TestServer.shared(.file).orThrow("no folder").repository()
    let hand = try repo.clone()
    let pointer =
      "version https://git-lfs.github.com/spec/v1\noid sha256:\(String(repeating: "0", count: 64))\nsize 5\n"
    try hand.write(pointer, to: "photo.jpg")
    try hand.write("* text\n", to: "text.org")
    try hand.git("add", "-A")
    try hand.git("commit", "-q", "-m", "before the attributes")
    try hand.write("*.jpg filter=lfs diff=lfs merge=lfs -text\n*.org text\n", to: ".gitattributes")
    try hand.git("add", ".gitattributes")
    try hand.git("commit", "-q", "-m", "attributes")
    try hand.git("push", "-q", "origin", "HEAD")
    let device = try TestDevice("one", on: repo)
    try await device.write("a real picture", to: "photo.jpg")
    try await device.write("another picture", to: "new.jpg")
    try await device.write("* dos\r\n", to: "dos.org")
    try await device.write("* unix\n", to: "unix.org")
    let report = try await device.sync()
    #expect(report.notices.contains { $0.contains("photo.jpg") && $0.contains("filter") }, "\(report.notices)")
    let failed = report.actions.filter { $0.result == .failed }
    #expect(failed.map(\.path.description).sorted() == ["dos.org", "new.jpg"], "\(failed)")
    #expect(
      try repo.texts() == [
        "photo.jpg": pointer, "text.org": "* text\n", "unix.org": "* unix\n",
        ".gitattributes": "*.jpg filter=lfs diff=lfs merge=lfs -text\n*.org text\n",
      ])
    #expect(try await device.texts()["photo.jpg"] == "a real picture")
    try hand.git("pull", "-q", "--ff-only")
    #expect(try hand.git("status", "--porcelain") == "")
  }
}
