import GitObjects

@testable import BackendGit

extension FuzzTarget {
  static let gitTree = FuzzTarget(name: "git-tree", tokens: ["100644 ", "40000 ", "..", ".git", "\u{0}"]) { input in
    guard let tree = GitTree(bytes: input) else { return }
    for entry in tree.entries { _ = (entry.mode.special, entry.mode.isFile) }
  }

  static let gitAttributes = FuzzTarget(
    name: "git-attributes",
    tokens: ["* ", "text=auto", "eol=crlf", "filter=lfs", "-text", "[attr]", "\\", "**/", "\"a b\" "]
  ) { input in
    var attributes = Attributes()
    attributes.add(input, in: [])
    attributes.add(input, in: Array("d".utf8))
    for path in ["a.org", "d/b.org", "d/e/c"] { _ = attributes.requirements(of: Array(path.utf8)) }
  }
}
