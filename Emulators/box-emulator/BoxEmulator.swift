import ArgumentParser
import BoxEmulator
import EmulatorWire

/// A local Box in memory, for tests and for authors of backends.
@main struct BoxEmulatorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "box-emulator",
    abstract: "A Box in memory on this machine, for tests and for authors of backends.",
    discussion: """
      Prints URL=http://127.0.0.1:PORT, the address of all hosts of Box, and serves until it is stopped. It accepts the access
      token test-token, the refresh token test-refresh, and the app test-client with the secret test-secret.
      POST /emulator/control makes it fail on request; see docs/box-emulator.md.
      """)

  @Option(help: "The port; 0 is any that is free.") var port: UInt16 = 0

  func run() async throws { try await EmulatorServer(Emulator(), port: port).run() }
}
