#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Opens a TCP connection to the first address of a host that accepts one. The socket is non-blocking.
enum Dialing {
  /// Returns the socket, or the reason why no connection was made.
  ///
  /// - Parameter wait: waits until the socket is writable or the deadline; returns false to give up.
  static func dial(
    _ host: String, port: Int, within time: Duration, wait: (CInt, Deadline) throws -> Bool
  ) rethrows -> Result<CInt, DialError> {
    var hints = unsafe addrinfo()
    #if os(Linux)
      unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    #else
      unsafe hints.ai_socktype = SOCK_STREAM
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    let status = unsafe getaddrinfo(host, "\(port)", &hints, &list)
    guard status == 0 else { return .failure(DialError(text: unsafe String(cString: gai_strerror(status)))) }
    defer { unsafe freeaddrinfo(list) }
    return try unsafe dial(list, within: time, wait: wait)
  }

  /// The same for a list of addresses. Each gets an equal share of the remaining time, so that an address that never answers
  /// does not use up the time of the next.
  static func dial(
    _ list: UnsafeMutablePointer<addrinfo>?, within time: Duration, wait: (CInt, Deadline) throws -> Bool
  ) rethrows -> Result<CInt, DialError> {
    let end = Deadline(time)
    var reason = "no address"
    var next = unsafe list
    while let found = unsafe next {
      let share = Deadline(unsafe end.rest / count(found))
      let descriptor = unsafe socket(found.pointee.ai_family, found.pointee.ai_socktype, found.pointee.ai_protocol)
      if descriptor >= 0 {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        let begun = unsafe connect(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen)
        var error = begun == 0 ? 0 : errno
        if error == EINPROGRESS { error = try wait(descriptor, share) ? pending(descriptor) : ETIMEDOUT }
        if error == 0 {
          sendAtOnce(descriptor)
          return .success(descriptor)
        }
        reason = unsafe String(cString: strerror(error))
        close(descriptor)
      }
      unsafe next = found.pointee.ai_next
    }
    return .failure(DialError(text: reason))
  }

  struct DialError: Error {
    var text: String
  }

  /// The number of addresses from this one to the end of the list.
  private static func count(_ first: UnsafeMutablePointer<addrinfo>) -> Int {
    var (count, next) = unsafe (1, first.pointee.ai_next)
    while let found = unsafe next {
      count += 1
      unsafe next = found.pointee.ai_next
    }
    return count
  }

  /// The error with which a connection attempt ended.
  private static func pending(_ descriptor: CInt) -> CInt {
    var error: CInt = 0
    var size = socklen_t(MemoryLayout<CInt>.size)
    return unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno
  }

  /// Disables Nagle's algorithm, which delays each short message of a dialogue.
  private static func sendAtOnce(_ descriptor: CInt) {
    var one: CInt = 1
    _ = unsafe setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
  }
}
