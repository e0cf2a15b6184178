internal import FlyingSocks
import Foundation

/// Serves an emulator on a port of this machine until it is stopped. One address stands for all hosts of the service.
///
/// It speaks HTTP/1.1 itself, on plain sockets: a server that is to go wrong on demand has to be able to close a connection
/// instead of answering.
public actor EmulatorServer {
  public nonisolated let emulator: Emulator
  private let port: UInt16
  private var running: Task<Void, any Error>?

  /// - Parameter port: 0 for any that is free.
  public init(_ emulator: Emulator = Emulator(), port: UInt16 = 0) {
    self.emulator = emulator
    self.port = port
  }

  /// Begins to serve; returns the address, such as `http://127.0.0.1:4711`.
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

  /// Serves until it is stopped or goes wrong.
  public func wait() async throws { try await running?.value }

  public func stop() async {
    running?.cancel()
    // Cancelled: its result carries no information.
    _ = await running?.result
  }
}

/// Why an emulator does not serve.
struct EmulatorError: Error, CustomStringConvertible {
  var description: String
}
