@testable import BackendOrgMobile

extension FuzzTarget {
  static let capture = FuzzTarget(
    name: "capture",
    tokens: [
      "* F(edit:heading) [[id:a][b]]\n", "** Old value\n", "** New value\n", "** End of edit\n", "* ",
      "[2026-01-01 Thu 10:00]", "[[olp:", "%2F",
    ]
  ) { input in
    let file = CaptureFile(input)
    _ = (CaptureReader(input), file.removing([]))
  }

  static let stagingIndex = FuzzTarget(
    name: "staging-index", tokens: ["#+TODO: ", "#+TAGS: ", "#+ALLPRIORITIES: ", "* [[file:", "][", "]]", "|"]
  ) { input in
    _ = StagingIndex(input)
  }

  static let checksums = FuzzTarget(name: "checksums", tokens: ["  ", "\n", "d41d8cd98f00b204e9800998ecf8427e", "../"])
  { input in
    let list = ChecksumList(input)
    _ = list.verifies(input, as: Array("a.org".utf8))
  }
}
