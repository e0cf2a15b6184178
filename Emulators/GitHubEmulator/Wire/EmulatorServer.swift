internal import EmulatorWire

/// Serves an emulator on a local port until it is stopped. One address replaces all hosts of the service.
public actor EmulatorServer {
  public nonisolated let emulator: Emulator
  private let server: LoopbackServer

  /// - Parameter port: 0 for any free port.
  public init(_ emulator: Emulator, port: UInt16 = 0) {
    self.emulator = emulator
    server = LoopbackServer(port: port) { call in await emulator.answer(call) }
  }

  /// Starts serving; returns the address, such as `http://127.0.0.1:4711`.
  public func start() async throws -> String { try await server.start() }

  /// Serves until it is stopped or fails.
  public func wait() async throws { try await server.wait() }

  public func stop() async { await server.stop() }
}
