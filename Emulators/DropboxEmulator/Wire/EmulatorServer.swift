internal import FlyingSocks
import Foundation

/// Serves an emulator on a local port until it is stopped. One address replaces all hosts of the service.
///
/// It implements HTTP/1.1 on plain sockets: a server that fails on demand must be able to close a connection instead of
/// answering.
public actor EmulatorServer {
  public nonisolated let emulator: Emulator
  private let port: UInt16
  private var running: Task<Void, any Error>?

  /// - Parameter port: 0 for any free port.
  public init(_ emulator: Emulator = Emulator(), port: UInt16 = 0) {
    self.emulator = emulator
    self.port = port
  }

  /// Starts serving; returns the address, such as `http://127.0.0.1:4711`.
  public func start() async throws -> String {
    let socket = try Socket(domain: AF_INET)
    try socket.setValue(true, for: .localAddressReuse)
    try socket.bind(to: try sockaddr_in.inet(ip4: "127.0.0.1", port: port))
    try socket.listen()
    guard case .ip4(_, let port) = try socket.sockname() else {
      throw EmulatorError(description: "the emulator listens nowhere")
    }
    let pool: some AsyncSocketPool = .make()
    try await pool.prepare()
    let listener = try AsyncSocket(socket: socket, pool: pool)
    running = Task { [emulator] in
      defer { try? listener.close() }
      try await withThrowingTaskGroup { group in
        group.addTask { try await pool.run() }
        group.addTask { try await Self.accept(listener, emulator) }
        try await group.next()
        group.cancelAll()
      }
    }
    return "http://127.0.0.1:\(port)"
  }

  private static func accept(_ listener: AsyncSocket, _ emulator: Emulator) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      for try await socket in listener.sockets {
        group.addTask { await Connection(socket, emulator).serve() }
      }
    }
  }

  /// Serves until it is stopped or fails.
  public func wait() async throws { try await running?.value }

  public func stop() async {
    running?.cancel()
    // It was cancelled, so its result carries no information.
    _ = await running?.result
  }
}

/// The reason why an emulator cannot serve.
struct EmulatorError: Error, CustomStringConvertible {
  var description: String
}
