import OrgKit

extension FuzzTarget {
  private static let orgTokens = [
    "* ", "** TODO ", ":PROPERTIES:\n", ":END:\n", "#+BEGIN_SRC\n", "#+END_SRC\n", "#+TODO: A | B\n", "- [ ] ",
    "| a | b |\n", ":a:b:",
    "<2026-01-01 Thu>", "CLOCK: ", "<<<<<<< ", "[[", "]]", "\r\n", "\t", "\u{FEFF}",
  ]

  static let org = FuzzTarget(name: "org", tokens: orgTokens) { input in
    let document = OrgDocument(input)
    guard document.bytes == input else { throw Wrong("the document is not what was read") }
    _ = document.entries.reduce(0) { $0 + $1.blocks.count + $1.tags.count }
  }

  static let orgMerge = FuzzTarget(name: "org-merge", tokens: orgTokens) { input in
    let input = Array(input.prefix(1_500))
    let third = input.count / 3
    let (base, ours) = (Array(input[..<(2 * third)]), Array(input[third...]))
    let theirs = Array(input[..<third] + input[(2 * third)...])
    let merge = OrgMerge.merge(base: base, ours: ours, theirs: theirs)
    let exchanged = OrgMerge.merge(base: base, ours: theirs, theirs: ours)
    guard merge.content == exchanged.content else { throw Wrong("the merge depends on the roles") }
  }
}
