internal import CSSH2
internal import Programs
internal import SyncKit

/// A command or subsystem that runs on the remote host, on a channel of a libssh2 connection.
@safe final class SSHChannel: RemoteProcess {
  private let session: SSHSession
  private let channel: OpaquePointer
  /// Output that was read while writing.
  private var unread: [UInt8] = []
  private var said: [UInt8] = []
  private var hasEnded = false
  private var isFreed = false
  private(set) var exitStatus: Int?

  /// A larger window made libssh2 slower.
  private static let window: UInt32 = 2 << 20
  private static let packet: UInt32 = 32_768
  private static let largestComplaint = 16_384
  private static let largestAnswer = 16 << 20
  private static let piece = 1 << 16

  /// Starts the request. A subsystem that the host does not offer ends without output and with an error line, as with the ssh
  /// program.
  init(_ request: SSHRequest, on session: SSHSession, _ stop: Stop) throws(SyncError) {
    session.stop = stop
    session.extra = .zero
    let deadline = session.deadline()
    var opened: OpaquePointer?
    while unsafe opened == nil {
      unsafe opened = libssh2_channel_open_ex(session.session, "session", 7, Self.window, Self.packet, nil, 0)
      if unsafe opened == nil {
        guard session.lastError == LIBSSH2_ERROR_EAGAIN else { throw Self.broken(session) }
        try session.wait(deadline)
      }
    }
    guard let channel = unsafe opened else { throw Self.broken(session) }
    self.session = session
    unsafe self.channel = channel
    let (kind, what) = request.channelRequest
    let answer = try session.complete {
      unsafe libssh2_channel_process_startup(
        channel, kind, UInt32(kind.utf8.count), what, UInt32(what.utf8.count))
    }
    if case .subsystem = request, answer == LIBSSH2_ERROR_CHANNEL_REQUEST_DENIED {
      said = Array("sshd offers no \(what)".utf8)
      end(isComplete: false)
      return
    }
    guard answer == 0 else { throw Self.broken(session) }
  }

  deinit { end(isComplete: false) }

  private static func broken(_ session: SSHSession) -> SyncError {
    SyncError(.unavailable, "lost the connection to \(session.destination.name): \(session.complaint)")
  }

  // MARK: Talking

  func write(_ bytes: [UInt8]) throws(SyncError) -> Bool {
    guard !isFreed else { return false }
    var start = 0
    var deadline = session.deadline()
    while start < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        let rest = unsafe buffer.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self)
        return unsafe libssh2_channel_write_ex(channel, 0, rest, bytes.count - start)
      }
      if count > 0 {
        start += count
        deadline = session.deadline()
      } else if count == Int(LIBSSH2_ERROR_EAGAIN) || count == 0 {
        // A command that is blocked on its output would never read its input.
        if unread.count < Self.largestAnswer { unread += read(stream: 0).bytes }
        listen()
        try session.wait(deadline)
      } else {
        return false
      }
    }
    return true
  }

  func nextOutput() throws(SyncError) -> [UInt8] {
    if !unread.isEmpty {
      defer { unread = [] }
      return unread
    }
    guard !isFreed else { return [] }
    let deadline = session.deadline()
    while true {
      let (bytes, answer) = read(stream: 0)
      if !bytes.isEmpty { return bytes }
      guard answer == 0 || answer == Int(LIBSSH2_ERROR_EAGAIN) else { throw Self.broken(session) }
      listen()
      if unsafe libssh2_channel_eof(channel) != 0 { return [] }
      try session.wait(deadline)
    }
  }

  /// Returns what can be read of one stream now, and the result of libssh2.
  private func read(stream: CInt) -> (bytes: [UInt8], answer: Int) {
    var answer = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.piece) { buffer, count in
      answer = unsafe buffer.withMemoryRebound(to: CChar.self) { bytes in
        unsafe libssh2_channel_read_ex(channel, stream, bytes.baseAddress, bytes.count)
      }
      count = max(0, answer)
    }
    return (bytes, answer)
  }

  /// Reads the command's error output. Both streams share one window: unread errors would block the output.
  private func listen() {
    // At most one window, because a command that writes faster than we read would never end.
    for _ in 0..<Int(Self.window) / Self.piece {
      let message = read(stream: 1).bytes
      guard !message.isEmpty else { return }
      said += message.prefix(max(0, Self.largestComplaint - said.count))
    }
  }

  var errorLines: [String] {
    said.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).map { printable($0) }.filter { !$0.isEmpty }
  }

  // MARK: Ending

  func end(isComplete: Bool) {
    guard !hasEnded else { return }
    hasEnded = true
    if isComplete {
      // A command that cannot be ended properly has no status, which is information enough.
      try? finish()
    }
    _ = unsafe libssh2_channel_free(channel)
    isFreed = true
  }

  private func finish() throws(SyncError) {
    _ = try session.complete { unsafe libssh2_channel_send_eof(channel) }
    // Output at this point has no reader and may be endless.
    let deadline = session.deadline()
    while try !nextOutput().isEmpty {
      try session.stop.check()
      guard !deadline.isOver else { return }
    }
    _ = try session.complete { unsafe libssh2_channel_close(channel) }
    guard try session.complete({ unsafe libssh2_channel_wait_closed(channel) }) == 0 else { return }
    listen()
    if !wasKilled { exitStatus = Int(unsafe libssh2_channel_get_exit_status(channel)) }
  }

  /// True if a signal ended the command; its status would look like success.
  private var wasKilled: Bool {
    var name: UnsafeMutablePointer<CChar>?
    _ = unsafe libssh2_channel_get_exit_signal(channel, &name, nil, nil, nil, nil, nil)
    defer { if unsafe name != nil { unsafe libssh2_free(session.session, name) } }
    return unsafe name != nil
  }
}

extension SSHSession {
  /// Starts a command or a subsystem; one at a time.
  func start(_ request: SSHRequest, patience more: Duration, _ stop: Stop) throws(SyncError) -> SSHChannel {
    let channel = try SSHChannel(request, on: self, stop)
    extra = more
    return channel
  }
}
