import Foundation
import ProgramTesting
import Testing

/// Org's commands against the results of Emacs: see `OrgKitTests/Corpus/verbs/README.md`.
@Suite("Verbs against Emacs") struct VerbCorpusTests {
  private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "OrgKitTests/Corpus")

  @Test("every verb writes what Emacs wrote, byte for byte, and exports have the same words")
  func corpus() throws {
    let cases = try VerbCase.all(in: Self.corpus.appending(path: "verbs"))
    #expect(cases.count == 176)
    let equal = try cases.filter(isEqual)
    print("*** \(equal.count) of \(cases.count) recorded calls give the files and answers of Emacs ***")
  }

  /// Differences in rare combinations of calls are known, so a long sweep allows for some.
  @Test(
    "random calls give the files that Emacs writes now",
    .enabled(if: hasEmacs, "*** SKIPPED: Emacs is not installed ***"))
  func random() throws {
    let (seed, count, allowed) = isSoak ? (2, 500, 15) : (1, 50, 0)
    let scratch = ScratchFolder()
    let cases = try Self.randomCases(seed: seed, count: count, in: "\(scratch.path)/cases")
    #expect(cases.count == count)
    let found = cases.filter(\.isFoundByEmacs)
    #expect(found.count > count / 2)
    let differences = try found.compactMap { verbs in try verbs.difference().map { "\(verbs.name): \($0)" } }
    #expect(differences.count <= allowed, "\(differences.joined(separator: "\n"))")
    print("*** \(found.count - differences.count) of \(found.count) random calls give the files of Emacs ***")
  }

  private static func randomCases(seed: Int, count: Int, in folder: String) throws -> [VerbCase] {
    let generator = corpus.appending(path: "random-verbs.py").path
    try Command(["python3", generator, "\(seed)", "\(count)", folder]).succeed()
    let cases = try VerbCase.all(in: URL(filePath: folder))
    var emacs = Command([corpus.appending(path: "emacs-verbs.sh").path, "--write"] + cases.map(\.folder.path))
    emacs.environment["EV_TIMEOUT"] = "3600"
    try emacs.succeed()
    return cases
  }

  private func isEqual(_ verbs: VerbCase) throws -> Bool {
    let difference = try verbs.difference()
    #expect(difference == nil, "\(verbs.name): \(difference ?? "")")
    return difference == nil
  }
}

private let hasEmacs = (Command.environment["PATH"] ?? "").split(separator: ":").contains {
  FileManager.default.isExecutableFile(atPath: "\($0)/emacs")
}
