internal import CPOSIX

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A stream socket, listening or connected. It is closed with its last owner, and no child inherits it.
final class StreamSocket: Sendable {
  let descriptor: Int32

  private init(_ descriptor: Int32) {
    self.descriptor = descriptor
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit { _ = closeSocket(descriptor) }

  /// Creates a socket that neither listens nor is connected; returns nil on failure.
  static func new(in domain: Int32) -> StreamSocket? {
    #if canImport(Glibc)
      let type = Int32(SOCK_STREAM.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    let descriptor = socket(domain, type, 0)
    return descriptor >= 0 ? StreamSocket(descriptor) : nil
  }

  /// Accepts the next connection; returns nil once the socket is shut down. Ignores errors of one connection, and temporary
  /// lack of descriptors or memory (accept(2)).
  func accepted() -> StreamSocket? {
    while true {
      let other = accept(descriptor, nil, nil)
      if other >= 0 { return StreamSocket(other) }
      switch errno {
      case EINTR, ECONNABORTED: break
      case EINVAL, EBADF: return nil
      default: usleep(100_000)
      }
    }
  }

  /// Ends all waits on this socket, in any thread.
  func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Sets the timeout for reading; nil for none.
  func setReadingPatience(_ patience: Duration?) {
    _ = posix_set_receive_limit(descriptor, Self.milliseconds(patience))
  }

  /// Sets the timeout for writing; nil for none.
  func setWritingPatience(_ patience: Duration?) { _ = posix_set_send_limit(descriptor, Self.milliseconds(patience)) }

  private static func milliseconds(_ patience: Duration?) -> Int64 {
    patience.map { max(1, Int64($0 / .milliseconds(1))) } ?? 0
  }

  /// Reads the next bytes, at most `count`; none at the end or on timeout.
  func read(atMost count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = max(0, unsafe recv(descriptor, buffer.baseAddress, count, 0))
    }
  }

  /// Writes all bytes. Returns false if the reader is gone.
  func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, 0) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Writes the bytes if there is room for them, and otherwise ends the connection.
  func offer(_ bytes: [UInt8]) -> Bool {
    let count = unsafe bytes.withUnsafeBytes { unsafe posix_send_now(descriptor, $0.baseAddress, $0.count) }
    if count < bytes.count { shutDown() }
    return count == bytes.count
  }
}

/// close(2), which a method of the class shadows.
private func closeSocket(_ descriptor: Int32) -> Int32 { close(descriptor) }
