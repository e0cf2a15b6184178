import Foundation
import OrgKit
import ProgramTesting
import Testing

/// Compares with real git. Two correct mergers may differ in the placement of a change that can be placed in several ways ("one
/// more of two equal lines"), so most lines of the random texts here are different.
@Suite("Line merges compared with git merge-file", .enabled(if: git != nil, "git is not installed"))
struct LineMergeAgainstGitTests {
  @Test("a merge has the conflicts and the text of git's merge", arguments: 0..<60 as Range<UInt64>)
  func agrees(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed &+ 7_000)
    let base = (0..<40).map { "line \($0)" }
    let versions = [base, edited(base, &random), edited(base, &random)].map(joined)
    let merge = LineMerge(base: versions[0], ours: versions[1], theirs: versions[2])
    let (status, output) = try gitMerge(versions)
    #expect(merge.isClean == (status == 0))
    #expect(merge.marked(with: .init(ours: "o", base: "b", theirs: "t")) == output)
  }

  private func gitMerge(_ versions: [[UInt8]]) throws -> (status: Int32, output: [UInt8]) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "orgkit-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, bytes) in zip(["base", "ours", "theirs"], versions) {
      try Data(bytes).write(to: folder.appending(path: name))
    }
    var command = Command(
      ["git", "merge-file", "-p", "--diff3", "-L", "o", "-L", "b", "-L", "t", "ours", "base", "theirs"])
    command.folder = folder.path()
    let outcome = try command.run()
    return (outcome.status, Array(outcome.out))
  }
}

private let git = program("git")

/// The path of a program, looked up like in a shell.
func program(_ name: String) -> String? {
  (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/\(name)" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
}
