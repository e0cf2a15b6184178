import Dispatch
import SyncKit

/// Listens on the control socket during its lifetime, and passes on the requests.
final class ControlServer: Sendable {
  let state: StateFolder
  private let socket: ControlSocket

  /// Starts to listen; returns nil on failure, on which no file depends.
  init?(_ state: StateFolder, _ ask: @escaping @Sendable (ControlRequest) -> Void) {
    guard let socket = ControlSocket.listening(in: state) else { return nil }
    self.state = state
    self.socket = socket
    DispatchQueue(label: "control").async { @Sendable in
      while let client = socket.accepted() {
        DispatchQueue(label: "control client").async { @Sendable in Self.serve(client, ask) }
      }
    }
  }

  deinit { socket.shutDown() }

  /// Handles one request after the other, until the client disconnects.
  private static func serve(_ client: ControlSocket, _ ask: @Sendable (ControlRequest) -> Void) {
    while let line = client.readLine() {
      switch ControlRequest.read(line) {
      case .failure(let mistake): client.write(line: JSON.refusal(mistake.message).line)
      case .success((let command, let remotes, let seconds)):
        let (isOver, over) = AsyncStream.makeStream(of: Void.self)
        let answered = DispatchSemaphore(value: 0)
        ask(
          ControlRequest(
            command: command, remotes: remotes, seconds: seconds,
            answer: { answer in
              client.write(line: answer.line)
              answered.signal()
            }, offer: { client.offer(line: $0) }, isOver: isOver))
        answered.wait()
        // The end of the connection ends it, or another request on the connection.
        if command.keepsConnection { _ = client.readLine() }
        over.finish()
      }
    }
  }
}
