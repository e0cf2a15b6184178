import Foundation
import OrgMerging
import ProgramTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendGit

@Suite("Concurrent pushes of two devices and a git user") struct RoundsTests {
  @Test("every edit is in the final history exactly once", arguments: TestServer.Kind.allCases)
  func rounds(kind: TestServer.Kind) async throws {
    guard let server = TestServer.shared(kind) else { return }
    let repo = try server.repository()
    let merger = OrgMerger()
    let (one, two) = try (TestDevice("one", on: repo, merger: merger), TestDevice("two", on: repo, merger: merger))
    for file in 0..<4 { try await one.write("* File \(file)\n", to: "\(file).org") }
    try await one.expectHealthyRun("first")
    let hand = try repo.clone()
    let seed = UInt64.random(in: 0...(.max))
    var generator = SplitMix64(state: seed)
    var lines: [String] = []
    for round in 0..<(isSoak ? 200 : kind == .file ? 10 : 2) {
      for device in [one, two] {
        let name = "\(Int.random(in: 0..<4, using: &generator)).org"
        lines.append("line \(round) of \(device.name)\n")
        try await device.write((try await device.texts()[name] ?? "") + lines[lines.count - 1], to: name)
      }
      let name = "\(Int.random(in: 0..<4, using: &generator)).org"
      let line = "line \(round) by hand\n"
      lines.append(line)
      async let first = one.sync()
      async let second = two.sync()
      async let third: Void = editByHand(hand, name, line)
      for report in [try await first, try await second] {
        #expect(report.failure == nil && report.hold == nil, "seed \(seed): \(report.failure?.message ?? "held")")
      }
      try await third
    }
    for device in [one, two, one, two] { try await device.expectHealthyRun("seed \(seed)") }
    try hand.git("pull", "-q", "--ff-only")
    let texts = try await one.texts()
    #expect(try await two.texts() == texts, "seed \(seed)")
    #expect(try repo.texts() == texts, "seed \(seed)")
    let live = texts.values.flatMap { $0.split(separator: "\n").map { "\($0)\n" } }
    for line in lines { #expect(live.count { $0 == line } == 1, "seed \(seed): \(line)") }
    // One commit added each line, and none removed one, although a merge may move it.
    var brought: [Substring: Int] = [:]
    for commit in try git("log", "-p", "--no-merges", "--format=%x00", "main", in: repo.path).split(separator: "\0") {
      var balance: [Substring: Int] = [:]
      for line in commit.split(separator: "\n") where line.hasPrefix("+line") || line.hasPrefix("-line") {
        balance[line.dropFirst(), default: 0] += line.hasPrefix("+") ? 1 : -1
      }
      for (line, count) in balance {
        #expect(count >= 0, "seed \(seed): a commit takes \(line) away")
        brought[line, default: 0] += count
      }
    }
    for line in lines { #expect(brought[line.dropLast()] == 1, "seed \(seed): \(line)") }
    try repo.expectSound()
  }

  /// Repeats a user's edit until the push is accepted. Lines that two users wrote at the same place are both kept.
  private func editByHand(_ hand: Clone, _ name: String, _ line: String) async throws {
    try hand.write("*.org merge=union\n", to: ".git/info/attributes")
    try hand.write((hand.read(name) ?? "") + line, to: name)
    try hand.git("commit", "-q", "-a", "-m", "By hand")
    for _ in 0..<20 {
      try hand.git("pull", "-q", "--no-rebase", "--no-edit")
      try hand.git("push", "-q", "origin", "HEAD", mayFail: true)
      try hand.git("fetch", "-q")
      if try hand.git("rev-list", "--count", "origin/main..HEAD") == "0\n" { return }
      await Task.yield()
    }
    throw TestFailure("the git user could not push in twenty attempts")
  }
}
