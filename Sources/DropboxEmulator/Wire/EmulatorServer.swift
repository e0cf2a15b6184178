internal import FlyingFox
internal import FlyingSocks
import Foundation

/// Serves an emulator on a port of this machine until it is stopped. One address stands for all hosts of the service.
public actor EmulatorServer {
  public let emulator: Emulator
  private let server: HTTPServer
  private var running: Task<Void, any Error>?

  /// Longer than any long poll.
  private static let longestAnswer = 700.0

  /// - Parameter port: 0 for any that is free.
  public init(_ emulator: Emulator = Emulator(), port: UInt16 = 0) throws {
    self.emulator = emulator
    server = HTTPServer(
      address: try sockaddr_in.inet(ip4: "127.0.0.1", port: port), timeout: Self.longestAnswer,
      pool: PromptPool(pool: .make()), logger: .disabled,
      handler: ClosureHTTPHandler { request in
        HTTPResponse(await emulator.answer(try await Call(request)))
      })
  }

  /// Begins to serve; gives the address, such as `http://127.0.0.1:4711`.
  public func start() async throws -> String {
    let server = server
    running = Task { try await server.run() }
    try await server.waitUntilListening()
    guard case .ip4(_, let port) = await server.listeningAddress else {
      throw EmulatorTrouble(description: "the emulator listens nowhere")
    }
    return "http://127.0.0.1:\(port)"
  }

  /// Serves until it is stopped or goes wrong.
  public func wait() async throws { try await running?.value }

  public func stop() async {
    await server.stop()
    running?.cancel()
  }
}

/// Why an emulator does not serve.
struct EmulatorTrouble: Error, CustomStringConvertible {
  var description: String
}

extension Call {
  fileprivate init(_ request: HTTPRequest) async throws {
    method = request.method.rawValue
    path = request.path
    query = Dictionary(request.query.map { ($0.name, $0.value) }) { first, _ in first }
    for (header, value) in request.headers { headers[header.rawValue.lowercased()] = value }
    body = Array(try await request.bodyData)
  }
}

extension HTTPResponse {
  fileprivate init(_ reply: Reply) {
    var headers = HTTPHeaders()
    headers[HTTPHeader("X-Dropbox-Request-Id")] = UUID().uuidString
    // Set one by one: what is written as a literal is taken apart at its commas.
    for (name, value) in reply.headers { headers[HTTPHeader(name)] = value }
    self.init(
      statusCode: HTTPStatusCode(reply.status, phrase: reply.status < 300 ? "OK" : "No"), headers: headers,
      body: reply.isCut ? HTTPBodySequence(from: BreakingOff(), count: 1) : HTTPBodySequence(data: Data(reply.body)))
  }
}

/// A body that never comes, so that the connection is closed before the answer is complete.
private struct BreakingOff: AsyncBufferedSequence {
  typealias Element = UInt8

  func makeAsyncIterator() -> Iterator { Iterator() }

  struct Iterator: AsyncBufferedIteratorProtocol {
    mutating func next() async throws -> UInt8? { throw SocketError.disconnected }

    mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? { throw SocketError.disconnected }
  }
}
