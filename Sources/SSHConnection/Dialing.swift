#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Begins a TCP connection to the first address of a host that takes one. The socket does not wait.
enum Dialing {
  /// The socket, or why there is none. `wait` is called while a connection is being made, and says whether to go on.
  static func dial(_ host: String, port: Int, wait: (CInt) throws -> Bool) rethrows -> Result<CInt, Trouble> {
    var hints = unsafe addrinfo()
    #if os(Linux)
      unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    #else
      unsafe hints.ai_socktype = SOCK_STREAM
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    let status = unsafe getaddrinfo(host, "\(port)", &hints, &list)
    guard status == 0 else { return .failure(Trouble(text: unsafe String(cString: gai_strerror(status)))) }
    defer { unsafe freeaddrinfo(list) }
    var reason = "no address"
    var next = unsafe list
    while let found = unsafe next {
      let descriptor = unsafe socket(found.pointee.ai_family, found.pointee.ai_socktype, found.pointee.ai_protocol)
      if descriptor >= 0 {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let begun = unsafe connect(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen)
        var error = begun == 0 ? 0 : errno
        if error == EINPROGRESS { error = try wait(descriptor) ? pending(descriptor) : ETIMEDOUT }
        if error == 0 {
          sendAtOnce(descriptor)
          return .success(descriptor)
        }
        reason = unsafe String(cString: strerror(error))
        close(descriptor)
      }
      unsafe next = found.pointee.ai_next
    }
    return .failure(Trouble(text: reason))
  }

  struct Trouble: Error {
    var text: String
  }

  /// The error that a connection ended with.
  private static func pending(_ descriptor: CInt) -> CInt {
    var error: CInt = 0
    var size = socklen_t(MemoryLayout<CInt>.size)
    return unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno
  }

  /// A conversation of short words waits for each of them otherwise.
  private static func sendAtOnce(_ descriptor: CInt) {
    var one: CInt = 1
    _ = unsafe setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
  }
}
