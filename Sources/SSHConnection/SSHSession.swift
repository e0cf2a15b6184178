internal import CPOSIX
internal import CSSH2
internal import Programs
internal import SyncKit

/// A libssh2 connection to a remote host. One thread uses it.
///
/// No call blocks longer than `patience` without progress.
@safe final class SSHSession {
  let session: OpaquePointer
  private let socket: CInt
  let destination: SSHDestination
  let patience: Duration
  /// The stop request that can cancel a wait; each command has its own.
  var stop: Stop
  /// The time that is added to the timeout of the current command.
  var extra = Duration.zero

  private static let slice: CInt = 100
  /// The interval in seconds after which a silent host is probed.
  static let keepalive: UInt32 = 30
  /// The maximum number of attempts to free a connection's resources.
  private static let goodbyes = 1_000

  /// Connects and verifies that the host's key is known.
  init(to destination: SSHDestination, patience: Duration, _ stop: Stop) throws(SyncError) {
    try Library.load()
    let socket = try Self.dial(destination, patience, stop)
    guard let session = unsafe libssh2_session_init_ex(nil, nil, nil, nil) else {
      close(socket)
      throw SyncError(.unexpected, "cannot initialize libssh2")
    }
    unsafe self.session = session
    (self.socket, self.destination, self.patience, self.stop) = (socket, destination, patience, stop)
    unsafe libssh2_session_set_blocking(session, 0)
    try makeSure()
  }

  /// Authenticates; throws `.unauthorized` if no key is accepted.
  func authenticate(passphrase: String?) throws(SyncError) {
    var authentication = Authentication(self, passphrase)
    try authentication.run()
    unsafe libssh2_keepalive_config(session, 1, Self.keepalive)
  }

  deinit {
    _ = unsafe libssh2_session_disconnect_ex(session, 11, "goodbye", "")
    // Freeing sends a close message on every channel, and frees nothing while that would block.
    shutdown(socket, CInt(SHUT_RDWR))
    for _ in 0..<Self.goodbyes where unsafe libssh2_session_free(session) != LIBSSH2_ERROR_EAGAIN { break }
    close(socket)
  }

  // MARK: Connecting

  private static func dial(
    _ destination: SSHDestination, _ patience: Duration, _ stop: Stop
  ) throws(SyncError) -> CInt {
    var refusal: SyncError?
    let result = Dialing.dial(destination.address, port: destination.port, within: min(patience, .seconds(30))) {
      socket, deadline in
      var descriptor = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
      while unsafe poll(&descriptor, 1, slice) == 0 {
        do throws(SyncError) { try stop.check() } catch {
          refusal = error
          return false
        }
        if deadline.isOver { return false }
      }
      return true
    }
    if let refusal { throw refusal }
    switch result {
    case .success(let socket): return socket
    case .failure(let error):
      throw SyncError(.unavailable, "cannot reach \(destination.name): \(error.text)")
    }
  }

  /// Exchanges keys, and continues only if the host's key is known.
  private func makeSure() throws(SyncError) {
    let types = destination.knownHosts.types(of: destination.keyName)
    // Known types come first: the first type that both sides support is used, and a key of another type would look like another
    // host. Types that are not listed are never used.
    let order = types.flatMap(Library.algorithms(for:)) + Library.allAlgorithms
    let distinct = order.enumerated().filter { !order[..<$0.offset].contains($0.element) }.map(\.element)
    _ = unsafe libssh2_session_method_pref(session, LIBSSH2_METHOD_HOSTKEY, distinct.joined(separator: ","))
    for (method, names) in Library.methods {
      _ = unsafe libssh2_session_method_pref(session, method, names.joined(separator: ","))
    }
    guard try complete({ unsafe libssh2_session_handshake(session, socket) }) == 0 else {
      throw SyncError(.unavailable, "the key exchange with \(destination.name) failed: \(complaint)")
    }
    let key = try hostKey()
    switch destination.knownHosts.status(of: key, of: destination.keyName) {
    case .known: return
    case .unknown:
      throw SyncError(
        .unauthorized,
        "the host \(destination.name) is not known; its key is \(fingerprint(of: key)). If the key is right, run "
          + "`\(destination.command)` once and confirm it")
    case .changed:
      throw SyncError(
        .unauthorized,
        "the host key of \(destination.name) has changed to \(fingerprint(of: key)): another host may be pretending to be "
          + "it. Nothing was sent. If the change is right, update the known hosts file")
    case .revoked:
      throw SyncError(.unauthorized, "the host key of \(destination.name), \(fingerprint(of: key)), is revoked")
    }
  }

  private func hostKey() throws(SyncError) -> [UInt8] {
    var (length, type) = (0, CInt(0))
    guard let bytes = unsafe libssh2_session_hostkey(session, &length, &type) else {
      throw SyncError(.unavailable, "\(destination.name) sent no host key")
    }
    return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: length))
  }

  // MARK: Waiting

  /// Repeats a call until it does not ask to wait; returns its last result.
  func complete(_ call: () -> CInt) throws(SyncError) -> CInt {
    let deadline = deadline()
    while true {
      let answer = call()
      guard answer == LIBSSH2_ERROR_EAGAIN else { return answer }
      try wait(deadline)
    }
  }

  /// Waits briefly, until the socket is ready in the direction that libssh2 needs.
  func wait(_ deadline: Deadline) throws(SyncError) {
    try stop.check()
    guard !deadline.isOver else {
      let seconds = (patience + extra).components.seconds
      throw SyncError(.unavailable, "no progress for \(Int(seconds).counted("second")); syncd tries again later")
    }
    let directions = unsafe libssh2_session_block_directions(session)
    var events = CInt(0)
    if directions & LIBSSH2_SESSION_BLOCK_INBOUND != 0 { events |= CInt(POLLIN) }
    if directions & LIBSSH2_SESSION_BLOCK_OUTBOUND != 0 { events |= CInt(POLLOUT) }
    var descriptor = pollfd(fd: socket, events: Int16(events == 0 ? CInt(POLLIN) : events), revents: 0)
    unsafe poll(&descriptor, 1, Self.slice)
    var next = CInt(0)
    _ = unsafe libssh2_keepalive_send(session, &next)
  }

  func deadline() -> Deadline { Deadline(patience + extra) }

  /// The message of libssh2 for its last call.
  var complaint: String {
    var text: UnsafeMutablePointer<CChar>?
    var length = CInt(0)
    _ = unsafe libssh2_session_last_error(session, &text, &length, 0)
    guard let text = unsafe text else { return "no reason given" }
    return unsafe printable(UnsafeRawBufferPointer(start: text, count: Int(length)))
  }

  /// True if the host has closed the connection, and everything that it sent was read. libssh2 reports that as a key that could not
  /// be verified if it happens while it waits for an answer to one.
  var hasEnded: Bool { posix_has_ended(socket) }

  var lastError: CInt { unsafe libssh2_session_last_errno(session) }
}

/// The time by which progress is required.
struct Deadline {
  private let end: Int64

  init(_ patience: Duration) {
    let (seconds, attoseconds) = patience.components
    end = posix_monotonic_microseconds() + seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }

  var isOver: Bool { rest <= .zero }

  /// The remaining time.
  var rest: Duration { .microseconds(end - posix_monotonic_microseconds()) }
}
