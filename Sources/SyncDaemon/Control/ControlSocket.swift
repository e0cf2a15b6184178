internal import CPOSIX
import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One end of the control socket: lines of text, each a JSON document. The socket is called `control` and lies in the
/// state folder, which only its owner can look into.
final class ControlSocket: Sendable {
  private let descriptor: Int32

  /// No line may be longer, and nobody may be slower.
  private static let limits = (line: 1 << 16, seconds: 10)

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { _ = closeSocket(descriptor) }

  /// A socket that listens in `state`; nil where none can. Only who has the lock of the state folder may listen.
  static func listening(in state: StateFolder) -> ControlSocket? {
    guard let socket = new() else { return nil }
    unsafe unlink(state.file("control"))
    guard unsafe withAddress(of: state, { unsafe bind(socket.descriptor, $0, $1) }) == 0 else { return nil }
    guard unsafe chmod(state.file("control"), 0o600) == 0, listen(socket.descriptor, 8) == 0 else { return nil }
    return socket
  }

  /// The socket of the service at work on `state`; nil if there is none.
  static func connected(to state: StateFolder) -> ControlSocket? {
    guard let socket = new() else { return nil }
    guard unsafe withAddress(of: state, { unsafe connect(socket.descriptor, $0, $1) }) == 0 else { return nil }
    return socket
  }

  private static func new() -> ControlSocket? {
    #if canImport(Glibc)
      let type = Int32(SOCK_STREAM.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    let descriptor = socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return ControlSocket(descriptor)
  }

  /// The next one who connects; nil once nobody shall any more.
  func accepted() -> ControlSocket? {
    while true {
      let other = accept(descriptor, nil, nil)
      if other >= 0 {
        _ = fcntl(other, F_SETFD, FD_CLOEXEC)
        return ControlSocket(other)
      }
      guard errno == EINTR || errno == ECONNABORTED else { return nil }
    }
  }

  /// Ends what waits on this socket, in whichever thread.
  func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// How long reading may wait; nil: for ever.
  func setPatience(_ patience: Duration?) {
    _ = posix_set_receive_limit(descriptor, patience.map { max(1, Int64($0 / .milliseconds(1))) } ?? 0)
  }

  /// The next line without its end; nil at the end, when it takes too long or is too long.
  func readLine() -> String? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes.count < Self.limits.line {
      guard unsafe recv(descriptor, &byte, 1, 0) == 1 else { return nil }
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }

  /// Writes a line; false if nobody reads it.
  @discardableResult func write(line: String) -> Bool {
    var rest = Array((line + "\n").utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, 0) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Writes a line if there is room for it, and ends the connection if there is not: nobody may make us wait who does not
  /// read.
  func offer(line: String) -> Bool {
    let bytes = Array((line + "\n").utf8)
    let count = unsafe bytes.withUnsafeBytes {
      unsafe posix_send_now(descriptor, $0.baseAddress, $0.count)
    }
    if count < bytes.count { shutDown() }
    return count == bytes.count
  }

  /// Calls `body` with the address of the socket in `state`; -1 where that is too long for one.
  private static func withAddress(
    of state: StateFolder, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(state.file("control").utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return -1 }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

/// close(2), which a method hides.
private func closeSocket(_ descriptor: Int32) -> Int32 { close(descriptor) }
