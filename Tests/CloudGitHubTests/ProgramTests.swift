import Foundation
import GitHubEmulator
import ProgramTesting
import ServerTesting
import Testing

/// The real program with a GitHub as its remote.
@Suite("syncd with GitHub")
struct ProgramTests {
  /// A folder with settings and a store.
  private struct Setup {
    let github: TestGitHub
    let repository: String
    let scratch = ScratchFolder()

    init() async throws {
      github = try await TestGitHub()
      repository = try await github.repository(["README.org": "* notes\n"])
      let manager = FileManager.default
      try manager.createDirectory(atPath: scratch.path + "/org", withIntermediateDirectories: true)
      try write("* ours\n", to: "org/a.org")
      try write(TestGitHub.token + "\n", to: "token")
      try configure("")
    }

    func configure(_ settings: String) throws {
      try write(
        """
        [syncd]
        state = "state"
        [store]
        backend = "org-files"
        path = "org"
        [remotes.notes]
        sync = "plain-files"
        cloud = "github"
        [remotes.notes.github]
        repository = "\(repository)"
        token = { file = "token" }
        api-url = "\(github.url)/api/v3"
        proxy = "none"
        \(settings)

        """, to: "s.toml")
    }

    func write(_ text: String, to name: String) throws {
      try Data(text.utf8).write(to: URL(filePath: "\(scratch.path)/\(name)"))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(scratch.path)/\(name)")
    }

    func read(_ name: String) -> String? {
      FileManager.default.contents(atPath: "\(scratch.path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }

    func syncd(_ words: String...) async throws -> Outcome {
      var command = Command([builtProgram("syncd"), "--settings", scratch.path + "/s.toml"] + words)
      command.environment["HOME"] = scratch.path
      return try await command.finish()
    }
  }

  @Test("a run syncs both sides, and prints and stores no token")
  func once() async throws {
    let setup = try await Setup()
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

  @Test("after a forced push the run ends with exit status 6 and says how to accept it, and then nothing is deleted")
  func forcedPush() async throws {
    let setup = try await Setup()
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
    let setup = try await Setup()
    #expect(try await setup.syncd("--once").status == 0)
    try await setup.github.emulator.control(#"{"op": "revoke"}"#)
    let run = try await setup.syncd("--once")
    #expect(run.status == 11 && run.text.contains("replace `token`"), "\(run.story)")
  }
}
