internal import FlyingSocks

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Sockets that send at once. The server writes a head and a body one after the other, and Nagle's algorithm would keep the
/// body back until the client acknowledges the head, which takes up to 40 ms. Connections inherit it from the socket that
/// they came by.
struct PromptPool<Pool: AsyncSocketPool>: AsyncSocketPool {
  let pool: Pool

  func prepare() async throws { try await pool.prepare() }

  func run() async throws { try await pool.run() }

  func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
    var yes: CInt = 1
    let size = socklen_t(MemoryLayout<CInt>.size)
    // A socket that refuses it is only slower.
    _ = unsafe setsockopt(socket.file.rawValue, CInt(IPPROTO_TCP), TCP_NODELAY, &yes, size)
    try await pool.suspendSocket(socket, untilReadyFor: events)
  }
}
