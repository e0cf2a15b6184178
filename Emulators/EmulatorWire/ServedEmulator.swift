import Foundation

/// An emulated service: answers requests.
package protocol EmulatedService: Actor {
  /// Answers one request.
  func answer(_ call: Call) async -> Reply
}

/// Serves an emulator on a local port until it is stopped. One address replaces all hosts of the service.
package actor ServedEmulator<Service: EmulatedService> {
  package nonisolated let emulator: Service
  private let server: LoopbackServer

  /// - Parameter port: 0 for any free port.
  package init(_ emulator: Service, port: UInt16 = 0) {
    self.emulator = emulator
    server = LoopbackServer(port: port) { call in await emulator.answer(call) }
  }

  /// Starts serving; returns the address, such as `http://127.0.0.1:4711`.
  package func start() async throws -> String { try await server.start() }

  /// Prints `URL=` and the address, and serves until it is stopped or fails.
  package func run() async throws {
    let address = try await server.start()
    // Not `print`, which buffers output that does not go to a terminal.
    FileHandle.standardOutput.write(Data("URL=\(address)\n".utf8))
    try await server.wait()
  }

  package func stop() async { await server.stop() }
}
