import ArgumentParser
import EmulatorWire
import Foundation
import GitHubEmulator

/// A local GitHub or Forgejo over bare repositories, for tests and for authors of backends.
@main struct GitHubEmulatorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "github-emulator",
    abstract: "The part of GitHub's or Forgejo's API that stores files, for tests and for authors of backends.",
    discussion: """
      Prints URL=http://127.0.0.1:PORT, the address of all hosts of GitHub, or of Forgejo, and serves until it is stopped.
      Each repository is a bare one in a folder. POST /emulator/control makes it fail on request; see docs/github-emulator.md.
      """)

  @Option(help: "The port; 0 is any that is free.") var port: UInt16 = 0
  @Option(help: "The folder for the repositories; without it a new temporary one.") var folder: String?
  @Option(help: "The server: github or forgejo, which is also Gitea.", transform: kind) var kind = Emulator.Kind.github
  @Option(help: "The access token that is accepted.") var token = "test-token"

  private static func kind(_ name: String) throws -> Emulator.Kind {
    guard let kind = Emulator.Kind(rawValue: name) else { throw ValidationError("it is github or forgejo") }
    return kind
  }

  func run() async throws {
    let folder = folder ?? NSTemporaryDirectory() + "/github-emulator-\(UUID().uuidString)"
    let emulator = Emulator(in: folder, token: token, kind: kind)
    try await emulator.prepare()
    try await EmulatorServer(emulator, port: port).run()
  }
}
