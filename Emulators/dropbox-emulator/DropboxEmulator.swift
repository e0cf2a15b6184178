import ArgumentParser
import DropboxEmulator
import EmulatorWire

/// A local Dropbox in memory, for tests and for authors of backends.
@main struct DropboxEmulatorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dropbox-emulator",
    abstract: "A Dropbox in memory on this machine, for tests and for authors of backends.",
    discussion: """
      Prints URL=http://127.0.0.1:PORT, the address of all hosts of Dropbox, and serves until it is stopped.
      POST /emulator/control makes it fail on request; see docs/dropbox-emulator.md.
      """)

  @Option(help: "The port; 0 is any that is free.") var port: UInt16 = 0
  @Option(help: "The access token that is accepted; without it any that could be one.") var token: String?
  @Option(help: "The refresh token that is accepted; without it any that could be one.") var refreshToken: String?
  @Option(help: "The app key that is accepted; without it any.") var appKey: String?

  func run() async throws {
    let credentials = Credentials(token: token, refreshToken: refreshToken, appKey: appKey)
    try await EmulatorServer(Emulator(credentials), port: port).run()
  }
}
