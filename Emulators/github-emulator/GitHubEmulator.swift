import ArgumentParser
import EmulatorWire
import Foundation
import GitHubEmulator

/// A local GitHub over bare repositories, for tests and for authors of backends.
@main struct GitHubEmulatorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "github-emulator",
    abstract: "The part of GitHub's API that stores files, on this machine, for tests and for authors of backends.",
    discussion: """
      Prints URL=http://127.0.0.1:PORT, the address of all hosts of GitHub, and serves until it is stopped. Each repository is
      a bare one in a folder. POST /emulator/control makes it fail on request; see docs/github-emulator.md.
      """)

  @Option(help: "The port; 0 is any that is free.") var port: UInt16 = 0
  @Option(help: "The folder for the repositories; without it a new temporary one.") var folder: String?
  @Option(help: "The access token that is accepted.") var token = "test-token"

  func run() async throws {
    let folder = folder ?? NSTemporaryDirectory() + "/github-emulator-\(UUID().uuidString)"
    let emulator = Emulator(in: folder, token: token)
    try await emulator.prepare()
    try await EmulatorServer(emulator, port: port).run()
  }
}
