import Foundation
import GitHubEmulator
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import CloudGitHub

@Suite("Convergence of two devices over GitHub or Forgejo")
struct ConvergenceTests {
  @Test(
    "two devices and a person with git have every edit once, and git finds nothing wrong",
    arguments: Emulator.Kind.allCases)
  func withGit(kind: Emulator.Kind) async throws {
    let github = try await TestGitHub(kind)
    let name = try await github.repository(["README.org": "* notes\n"])
    let scratch = ScratchFolder()
    let clone = scratch.path + "/clone"
    try await github.git(["clone", "--quiet", github.folder(of: name), clone])
    let seed = UInt64.random(in: 0...(.max))
    var generator = SplitMix64(state: seed)
    let devices = [try await github.device("one", at: name), try await github.device("two", at: name)]
    let paths = ["README.org", "a.org", "d/b c.org", "d/e/\u{E9}.org"]
    var lines: Set<String> = []
    for round in 0..<(isSoak ? 200 : 20) {
      for device in devices {
        let path = paths.randomElement(using: &generator) ?? ""
        let line = "round \(round) of \(device.name)\n"
        lines.insert(line)
        try await device.write((try await device.texts()[path] ?? "") + line, to: path)
        if Int.random(in: 0...2, using: &generator) > 0 { try await device.requireHealthyRun("seed \(seed)") }
      }
      let line = "round \(round) of a person\n"
      lines.insert(line)
      try await commit(line, to: paths.randomElement(using: &generator) ?? "", in: clone, of: github)
    }
    for device in devices + devices { try await device.requireHealthyRun("seed \(seed)") }
    let texts = try await (devices[0].texts(), devices[1].texts())
    #expect(texts.0 == texts.1, "seed \(seed)")
    let there = try await github.emulator.texts(of: name).filter { $0.key != ReservedName.marker }
    #expect(there == texts.0, "seed \(seed)")
    let all = texts.0.values.flatMap { $0.split(separator: "\n").map { "\($0)\n" } }
    for line in lines { #expect(all.count { $0 == line } == 1, "seed \(seed): \(line)") }
    for device in devices {
      let quiet = await device.sync()
      #expect(!quiet.didSomething && quiet.result == .synced, "seed \(seed): \(quiet)")
    }
    try await github.expectSound(name)
    try await github.git(["-C", clone, "pull", "--quiet", "--rebase"])
    for (path, text) in texts.0 {
      #expect(try String(contentsOfFile: "\(clone)/\(path)", encoding: .utf8) == text, "seed \(seed): \(path)")
    }
  }

  /// Appends a line on top of what is there, as a person with git does.
  private func commit(_ line: String, to path: String, in clone: String, of github: TestGitHub) async throws {
    let file = URL(filePath: "\(clone)/\(path)")
    try await github.git(["-C", clone, "pull", "--quiet", "--rebase"])
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    try (text + line).write(to: file, atomically: true, encoding: .utf8)
    try await github.git(["-C", clone, "add", "--all"])
    try await github.git(["-C", clone, "commit", "--quiet", "-m", "by hand"])
    try await github.git(["-C", clone, "push", "--quiet"])
  }

  @Test("two devices converge although answers to commits are lost", arguments: Emulator.Kind.allCases)
  func random(kind: Emulator.Kind) async throws {
    let github = try await TestGitHub(kind)
    try await github.requireConvergence(
      steps: isSoak ? 1_000 : 100,
      disturbance: #"{"op": "fail", "route": "\#(kind.writing)", "drop": "after"}"#)
  }

  @Test("deletions, moves and edits arrive", arguments: Emulator.Kind.allCases)
  func deletions(kind: Emulator.Kind) async throws {
    let github = try await TestGitHub.shared(kind)
    let name = try await github.repository()
    try await github.requireDeletionsArrive(at: name)
    try await github.expectSound(name)
  }

  @Test(
    "250 new files are one commit and few requests, and a pass over nothing changed is one",
    arguments: Emulator.Kind.allCases)
  func manyFiles(kind: Emulator.Kind) async throws {
    let github = try await TestGitHub(kind)
    let name = try await github.repository()
    let (one, two) = (try await github.device("one", at: name), try await github.device("two", at: name))
    for number in 0..<250 { try await one.write("* note \(number)\n", to: "folder \(number % 7)/\(number).org") }
    try await one.requireHealthyRun("many files")
    let calls = await github.emulator.calls()
    // The marker is a commit of its own.
    let commits = kind == .github ? calls["POST /git/commits"] : calls["POST /contents"].map { $0 - 1 }
    #expect(commits == 1 && calls["POST /git/blobs"] == nil, "\(calls)")
    #expect(calls.values.reduce(0, +) < 30, "\(calls)")
    try await two.requireHealthyRun("many files")
    #expect(try await two.texts() == one.texts())
    for _ in 0..<2 { try await one.requireHealthyRun("preparing") }
    try await github.emulator.control(#"{"op": "recount"}"#)
    try await one.requireHealthyRun("nothing new")
    #expect(await github.emulator.calls() == [kind.asking: 1])
  }

  @Test("the commit names the files, the device and the author in the settings", arguments: Emulator.Kind.allCases)
  func message(kind: Emulator.Kind) async throws {
    let github = try await TestGitHub.shared(kind)
    let name = try await github.repository(["a.org": "* a\n"])
    let device = try await github.device("laptop", at: name) { $0.author = "Ann <ann@example.org>" }
    try await device.requireHealthyRun("first")
    try await device.write("* a\n* b\n", to: "a.org")
    try await device.requireHealthyRun("second")
    let log = try await github.git(["-C", github.folder(of: name), "log", "-1", "--format=%an <%ae>%n%cn%n%B", "main"])
    #expect(log.text.hasPrefix("Ann <ann@example.org>\nAnn\nChange a.org\n\nDevice: laptop\n"), "\(log.text)")
  }
}
