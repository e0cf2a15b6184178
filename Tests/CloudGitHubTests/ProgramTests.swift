import Foundation
import GitHubEmulator
import ProgramTesting
import ServerTesting
import Testing

/// The real program with a GitHub as its remote.
@Suite("syncd with GitHub")
struct ProgramTests {
  @Test("a run syncs both sides, and prints and stores no token", arguments: Emulator.Kind.allCases)
  func once(kind: Emulator.Kind) async throws {
    let setup = try await ProgramSetup(github: TestGitHub(kind))
    let first = try await setup.syncd("--once", "-v")
    #expect(first.status == 0, "\(first.story)")
    #expect(setup.read("org/README.org") == "* notes\n")
    #expect(try await setup.github.emulator.texts(of: setup.repository)["a.org"] == "* ours\n")
    let doctor = try await setup.syncd("doctor", "notes")
    #expect(doctor.status == 0 && doctor.text.contains("the branch main of"), "\(doctor.story)")
    let quiet = try await setup.syncd("--once")
    #expect(quiet.status == 0, "\(quiet.story)")
    for text in [first.story, doctor.story, quiet.story] { #expect(!text.contains(TestGitHub.token)) }
    for (name, bytes) in setup.scratch.files where name != "token" {
      #expect(bytes.firstRange(of: Data(TestGitHub.token.utf8)) == nil, "\(name)")
    }
    try await setup.github.expectSound(setup.repository)
  }

  @Test(
    "after a forced push the run ends with exit status 6 and says how to accept it, and then nothing is deleted",
    arguments: Emulator.Kind.allCases)
  func forcedPush(kind: Emulator.Kind) async throws {
    let setup = try await ProgramSetup(github: TestGitHub(kind))
    let start = try #require(try await setup.github.emulator.tip(of: setup.repository))
    #expect(try await setup.syncd("--once").status == 0)
    let forced = try await setup.github.emulator.push(
      ["theirs.org": "* theirs\n"], to: setup.repository, parent: start)
    let stopped = try await setup.syncd("--once")
    #expect(stopped.status == 6 && stopped.text.contains("accept = \"\(forced.prefix(10))\""), "\(stopped.story)")
    #expect(setup.read("org/theirs.org") == nil && setup.read("org/a.org") == "* ours\n")
    try setup.configure("accept = \"\(forced.prefix(10))\"")
    for _ in 0..<2 {
      let accepted = try await setup.syncd("--once")
      #expect(accepted.status == 0, "\(accepted.story)")
    }
    try setup.configure("")
    #expect(try await setup.syncd("--once").status == 0)
    #expect(setup.read("org/theirs.org") == "* theirs\n" && setup.read("org/a.org") == "* ours\n")
    let there = try await setup.github.emulator.texts(of: setup.repository)
    #expect(there["a.org"] == "* ours\n" && there["theirs.org"] == "* theirs\n")
  }

  @Test("after the token was revoked, the run ends with exit status 11 and says what to do")
  func revoked() async throws {
    let setup = try await ProgramSetup()
    #expect(try await setup.syncd("--once").status == 0)
    try await setup.github.emulator.control(#"{"op": "revoke"}"#)
    let run = try await setup.syncd("--once")
    #expect(run.status == 11 && run.text.contains("replace `token`"), "\(run.story)")
  }

  @Test("syncd init makes settings for Forgejo, and says which address it needs")
  func forgejoSettings() async throws {
    let setup = try await ProgramSetup(github: TestGitHub(.forgejo))
    try setup.remove("s.toml")
    let wishes = [
      "kind=forgejo", "repository=\(setup.repository)", "token=file:\(setup.scratch.path)/token", "proxy=none",
    ]
    let words =
      ["init", "--store", setup.scratch.path + "/org", "--with", "github", "--remote", "notes"]
      + wishes.flatMap { ["--set", $0] }
    let incomplete = try await setup.syncd(words)
    #expect(incomplete.status != 0 && incomplete.story.contains("ends in /api/v1"), "\(incomplete.story)")
    let made = try await setup.syncd(words + ["--set", "api-url=\(setup.github.url)/api/v1"])
    #expect(made.status == 0, "\(made.story)")
    let run = try await setup.syncd(["--once"])
    #expect(run.status == 0, "\(run.story)")
    #expect(try await setup.github.emulator.texts(of: setup.repository)["a.org"] == "* ours\n")
  }
}
