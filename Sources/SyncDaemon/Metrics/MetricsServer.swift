internal import CPOSIX
import Dispatch
import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Serves the metrics on a local port, one client after the other, during its lifetime.
final class MetricsServer: Sendable {
  /// The address to listen at.
  let address: LoopbackAddress
  private let socket: StreamSocket

  /// The limits of a request's size, and of the time to send it and to read the answer: the next client waits meanwhile.
  private static let limits = (head: 1 << 13, patience: Duration.seconds(5))

  /// Starts to listen.
  ///
  /// - Parameter figures: returns the current metrics in Prometheus' text format.
  init(at address: LoopbackAddress, _ figures: @escaping @Sendable () -> String) throws(SyncError) {
    self.address = address
    socket = try StreamSocket.listening(at: address)
    DispatchQueue(label: "metrics").async { @Sendable [socket] in
      while let client = socket.accepted() { Self.serve(client, figures) }
    }
  }

  deinit { socket.shutDown() }

  /// The URL of the metrics.
  var url: String {
    let text = address.text
    guard address.port == 0, let colon = text.lastIndex(of: ":") else { return "http://\(text)/metrics" }
    return "http://\(text[..<colon]):\(posix_local_port(socket.descriptor))/metrics"
  }

  private static func serve(_ client: StreamSocket, _ figures: () -> String) {
    guard let head = head(from: client) else { return }
    client.setWritingPatience(limits.patience)
    _ = client.write(MetricsAnswer.bytes(to: head, figures: figures))
  }

  /// Reads a request without its body; returns nil on timeout or if it is too long.
  private static func head(from client: StreamSocket) -> String? {
    let last = ContinuousClock.now + limits.patience
    var bytes: [UInt8] = []
    while bytes.count < limits.head, ContinuousClock.now < last {
      client.setReadingPatience(last - .now)
      let more = client.read(atMost: 1 << 12)
      guard !more.isEmpty else { return nil }
      bytes += more
      if let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
        return String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
      }
    }
    return nil
  }
}

extension StreamSocket {
  /// Returns a socket that listens at `address`.
  fileprivate static func listening(at address: LoopbackAddress) throws(SyncError) -> StreamSocket {
    guard let socket = new(in: address.isVersion6 ? AF_INET6 : AF_INET) else { throw error(with: address, errno) }
    guard socket.bind(to: address), listen(socket.descriptor, 8) == 0 else { throw error(with: address, errno) }
    return socket
  }

  private func bind(to address: LoopbackAddress) -> Bool {
    // Connections of a previous service that the system still knows are not an obstacle.
    var isOn: Int32 = 1
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
    var hints = unsafe addrinfo()
    unsafe hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    var found: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(address.host, String(address.port), &hints, &found) == 0, let place = unsafe found else {
      errno = EADDRNOTAVAIL
      return false
    }
    defer { unsafe freeaddrinfo(place) }
    return unsafe bindSocket(descriptor, place.pointee.ai_addr, place.pointee.ai_addrlen) == 0
  }

  private static func error(with address: LoopbackAddress, _ number: Int32) -> SyncError {
    let reason =
      number == EADDRINUSE ? "another program uses that port" : unsafe String(cString: strerror(number))
    return SyncError(
      .unavailable,
      "cannot serve metrics at \(address.text): \(reason). The service continues without them; change `metrics-port` and "
        + "reload the service")
  }
}

/// bind(2), which a method hides.
private func bindSocket(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>?, _ size: socklen_t) -> Int32 {
  unsafe bind(descriptor, address, size)
}
