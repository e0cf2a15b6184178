internal import FlyingSocks
import Foundation

/// Answers one request.
package typealias Answerer = @Sendable (Call) async -> Reply

/// Serves on a local port until it is stopped. One address replaces all hosts of the emulated service.
///
/// It implements HTTP/1.1 on plain sockets: a server that fails on demand must be able to close a connection instead of
/// answering.
package actor LoopbackServer {
  private let port: UInt16
  private let answer: Answerer
  private var running: Task<Void, any Error>?

  /// - Parameter port: 0 for any free port.
  package init(port: UInt16, _ answer: @escaping Answerer) {
    self.port = port
    self.answer = answer
  }

  /// Starts serving; returns the address, such as `http://127.0.0.1:4711`.
  package func start() async throws -> String {
    let socket = try Socket(domain: AF_INET)
    try socket.setValue(true, for: .localAddressReuse)
    try socket.bind(to: try sockaddr_in.inet(ip4: "127.0.0.1", port: port))
    try socket.listen()
    guard case .ip4(_, let port) = try socket.sockname() else {
      throw EmulatorError("the emulator listens nowhere")
    }
    let pool: some AsyncSocketPool = .make()
    try await pool.prepare()
    let listener = try AsyncSocket(socket: socket, pool: pool)
    running = Task { [answer] in
      defer { try? listener.close() }
      try await withThrowingTaskGroup { group in
        group.addTask { try await pool.run() }
        group.addTask { try await Self.accept(listener, answer) }
        try await group.next()
        group.cancelAll()
      }
    }
    return "http://127.0.0.1:\(port)"
  }

  private static func accept(_ listener: AsyncSocket, _ answer: @escaping Answerer) async throws {
    try await withThrowingDiscardingTaskGroup { group in
      for try await socket in listener.sockets {
        group.addTask { await Connection(socket, answer).serve() }
      }
    }
  }

  /// Serves until it is stopped or fails.
  package func wait() async throws { try await running?.value }

  package func stop() async {
    running?.cancel()
    // It was cancelled, so its result carries no information.
    _ = await running?.result
  }
}

/// The reason why an emulator cannot serve.
package struct EmulatorError: Error, CustomStringConvertible {
  package var description: String

  package init(_ description: String) { self.description = description }
}
