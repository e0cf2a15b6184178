import Foundation
import GitHubEmulator
import ProgramTesting
import ServerTesting

/// A folder with settings and a store.
struct ProgramSetup {
  let github: TestGitHub
  let repository: String
  let scratch = ScratchFolder()

  init(github: TestGitHub? = nil) async throws {
    if let github { self.github = github } else { self.github = try await TestGitHub() }
    repository = try await self.github.repository(["README.org": "* notes\n"])
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
      kind = "\(github.emulator.kind.rawValue)"
      repository = "\(repository)"
      token = { file = "token" }
      api-url = "\(github.url)/api/\(github.emulator.kind == .github ? "v3" : "v1")"
      proxy = "none"
      \(settings)

      """, to: "s.toml")
  }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(scratch.path)/\(name)"))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(scratch.path)/\(name)")
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(scratch.path)/\(name)") }

  func read(_ name: String) -> String? {
    FileManager.default.contents(atPath: "\(scratch.path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
  }

  func syncd(_ words: String...) async throws -> Outcome { try await syncd(words) }

  func syncd(_ words: [String]) async throws -> Outcome {
    var command = Command([Command.built("syncd"), "--settings", scratch.path + "/s.toml"] + words)
    command.environment["HOME"] = scratch.path
    return try await command.finish()
  }
}
