internal import CPOSIX
internal import Programs
internal import SyncKit

/// A client of an ssh agent (draft-ietf-sshm-ssh-agent). No call blocks longer than the timeout.
///
/// libssh2 has a client too, but its calls wait for the agent without a limit.
final class SSHAgent {
  /// A public key that the agent holds, in its wire format.
  typealias Key = [UInt8]

  private let socket: CInt
  private let timeout: Duration
  private let stop: Stop

  private static let (requestIdentities, identitiesAnswer): (UInt8, UInt8) = (11, 12)
  private static let (signRequest, signResponse): (UInt8, UInt8) = (13, 14)
  private static let largestMessage = 256 << 10
  private static let slice: CInt = 100

  /// Connects; nil if no agent listens at `path`.
  init?(at path: String, timeout: Duration, _ stop: Stop) {
    socket = unsafe posix_connect_local(path)
    (self.timeout, self.stop) = (timeout, stop)
    guard socket >= 0 else { return nil }
  }

  deinit { if socket >= 0 { close(socket) } }

  /// Returns the keys that the agent holds. Throws `.unavailable` if it does not answer.
  func keys() throws(SyncError) -> [Key] {
    guard var answer = try ask(Self.requestIdentities, [], expecting: Self.identitiesAnswer) else { return [] }
    guard let count = answer.number() else { throw Self.malformed }
    var keys: [Key] = []
    for _ in 0..<count {
      // The comment follows the key.
      guard let key = answer.string(), answer.string() != nil else { throw Self.malformed }
      keys.append(key)
    }
    return keys
  }

  /// Signs `data` with a key; returns the signature without the name of its algorithm, or nil if the agent refuses. Throws
  /// `.unavailable` if it does not answer, for example because it waits for a person.
  func sign(_ data: [UInt8], with key: Key) throws(SyncError) -> [UInt8]? {
    let flags = SSHMessage.number(Self.flags(for: SSHMessage.algorithm(ofRequest: data)))
    let question = SSHMessage.string(key) + SSHMessage.string(data) + flags
    guard var answer = try ask(Self.signRequest, question, expecting: Self.signResponse) else { return nil }
    guard let signature = answer.string() else { throw Self.malformed }
    var parts = SSHMessage(signature)
    guard parts.string() != nil, let bytes = parts.string() else { throw Self.malformed }
    return bytes
  }

  /// The signature flags of the algorithm. Without one, an agent signs with SHA-1 for RSA keys.
  private static func flags(for algorithm: String?) -> UInt32 {
    switch algorithm {
    case "rsa-sha2-256": 2
    case "rsa-sha2-512": 4
    default: 0
    }
  }

  // MARK: Messages

  /// Returns the payload of the answer; nil if it is of another type, which means refused.
  private func ask(_ type: UInt8, _ payload: [UInt8], expecting expected: UInt8) throws(SyncError) -> SSHMessage? {
    let deadline = Deadline(timeout)
    try write(SSHMessage.string([type] + payload), deadline)
    var length = SSHMessage(try read(4, deadline))
    guard let count = length.number(), (1...Self.largestMessage).contains(Int(count)) else { throw Self.malformed }
    let answer = try read(Int(count), deadline)
    return answer[0] == expected ? SSHMessage(Array(answer.dropFirst())) : nil
  }

  private static var malformed: SyncError { SyncError(.unavailable, "the ssh agent sent a malformed response") }

  private func write(_ bytes: [UInt8], _ deadline: Deadline) throws(SyncError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe posix_send_now(socket, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) } else { try wait(CInt(POLLOUT), deadline) }
    }
  }

  private func read(_ count: Int, _ deadline: Deadline) throws(SyncError) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var buffer = [UInt8](repeating: 0, count: count - bytes.count)
      let read = unsafe CPOSIX.read(socket, &buffer, buffer.count)
      guard read != 0 else { throw SyncError(.unavailable, "the ssh agent closed the connection") }
      if read > 0 { bytes += buffer.prefix(read) } else { try wait(CInt(POLLIN), deadline) }
    }
    return bytes
  }

  /// Waits until the socket is ready. Expects the errno of the call that would have blocked.
  private func wait(_ events: CInt, _ deadline: Deadline) throws(SyncError) {
    let error = unsafe posix_errno().pointee
    guard error == EAGAIN || error == EINTR else {
      throw SyncError(.unavailable, "the ssh agent closed the connection")
    }
    try stop.check()
    guard !deadline.isOver else {
      throw SyncError(
        .unavailable, "the ssh agent did not answer for \(Int(timeout.components.seconds).counted("second"))")
    }
    var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
    unsafe poll(&descriptor, 1, Self.slice)
  }
}

/// A parser for ssh messages: numbers in network order, and length-prefixed strings (RFC 4251, section 5).
struct SSHMessage {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  mutating func byte() -> UInt8? { rest.popFirst() }

  mutating func number() -> UInt32? {
    guard rest.count >= 4 else { return nil }
    defer { rest = rest.dropFirst(4) }
    return rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  mutating func string() -> [UInt8]? {
    guard let count = number(), rest.count >= Int(count) else { return nil }
    defer { rest = rest.dropFirst(Int(count)) }
    return Array(rest.prefix(Int(count)))
  }

  static func number(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

  static func string(_ bytes: [UInt8]) -> [UInt8] { number(UInt32(bytes.count)) + bytes }

  /// The algorithm in the data that is signed for an authentication request (RFC 4252, section 7): session, type, user,
  /// service, `publickey`, true, algorithm, key.
  static func algorithm(ofRequest data: [UInt8]) -> String? {
    var message = SSHMessage(data)
    guard message.string() != nil, message.byte() != nil, message.string() != nil, message.string() != nil,
      message.string() != nil, message.byte() != nil, let algorithm = message.string()
    else { return nil }
    return String(decoding: algorithm, as: UTF8.self)
  }
}
