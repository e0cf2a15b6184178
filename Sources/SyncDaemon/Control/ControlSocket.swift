import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One end of the control socket: lines of text, each a JSON document. The socket is `control` in the state folder, which only
/// its owner can access.
package struct ControlSocket: Sendable {
  private let stream: StreamSocket

  private static let name = "control"
  /// The name until it listens.
  private static let nameBefore = "listen"
  /// All names that the socket may have in the state folder.
  static let names = [nameBefore, name]

  /// Returns a socket that listens in `state`; nil on failure. Only the owner of the state folder's lock may listen.
  ///
  /// The socket gets its name when it listens, so that a client that finds it can connect.
  static func listening(in state: StateFolder) -> ControlSocket? {
    guard let stream = StreamSocket.new(in: AF_UNIX) else { return nil }
    let (before, final) = (state.file(nameBefore), state.file(name))
    unsafe unlink(before)
    guard unsafe withAddress(before, { unsafe bind(stream.descriptor, $0, $1) }) == 0 else { return nil }
    guard unsafe chmod(before, 0o600) == 0, listen(stream.descriptor, 8) == 0, unsafe rename(before, final) == 0 else {
      unsafe unlink(before)
      return nil
    }
    return ControlSocket(stream: stream)
  }

  /// Connects to the service that uses `state`; returns nil if there is none.
  package static func connected(to state: StateFolder) -> ControlSocket? {
    guard let stream = StreamSocket.new(in: AF_UNIX) else { return nil }
    guard unsafe withAddress(state.file(name), { unsafe connect(stream.descriptor, $0, $1) }) == 0 else {
      return nil
    }
    return ControlSocket(stream: stream)
  }

  /// Returns true if a service uses `state`, without waiting for it: not even for a service that is stopped and has more
  /// connections waiting than the system queues.
  package static func isServed(_ state: StateFolder) -> Bool {
    guard let stream = StreamSocket.new(in: AF_UNIX) else { return false }
    _ = fcntl(stream.descriptor, F_SETFL, O_NONBLOCK)
    return unsafe withAddress(state.file(name)) { unsafe connect(stream.descriptor, $0, $1) } == 0
      || errno == EAGAIN
  }

  /// Accepts the next connection; returns nil once the socket is shut down.
  func accepted() -> ControlSocket? { stream.accepted().map(ControlSocket.init) }

  /// Ends all waits on this socket, in any thread.
  func shutDown() { stream.shutDown() }

  /// Sets the timeout for reading; nil for none.
  func setPatience(_ patience: Duration?) { stream.setReadingPatience(patience) }

  /// Reads the next line without its end; returns nil at the end, on timeout, or if it is too long.
  ///
  /// - Parameter limit: the maximum number of bytes.
  package func readLine(atMost limit: Int = 1 << 16) -> String? {
    var bytes: [UInt8] = []
    while bytes.count < limit {
      guard let byte = stream.read(atMost: 1).first else { return nil }
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }

  /// Writes a line. Returns false if the client has disconnected.
  @discardableResult package func write(line: String) -> Bool { stream.write(Array((line + "\n").utf8)) }

  /// Writes a line if there is room for it, and otherwise ends the connection: a client that does not read must not delay the
  /// service.
  func offer(line: String) -> Bool { stream.offer(Array((line + "\n").utf8)) }

  /// Calls `body` with the address of the socket at `path`; returns -1 if the path is too long.
  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return -1 }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
