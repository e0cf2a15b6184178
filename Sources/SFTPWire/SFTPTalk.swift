public import SSHConnection
internal import SyncKit

/// A conversation with an sftp server over the streams of a process. One thread uses it.
///
/// The caller keeps at most ``window`` requests in transit, and reads answers in between: a server whose answers are not read
/// stops reading requests.
public final class SFTPTalk {
  /// The maximum number of requests in transit.
  public static let window = 64
  /// The number of bytes that one request reads or writes; every server supports it.
  public static let piece = 1 << 15

  /// The names of the extensions that the server announces. An announcement proves nothing.
  public let extensions: Set<String>
  private let process: any RemoteProcess
  /// The time in which a packet must arrive as a whole.
  private let patience: Duration
  /// The requests in transit.
  private var waiting: [UInt32: SFTPRequest] = [:]
  private var lastID: UInt32 = 0
  /// Received bytes that are not parsed yet start at `start`.
  private var pending: [UInt8] = []
  private var start = 0

  /// A large answer has 256 KiB and a header.
  private static let longestPacket = 257 << 10

  /// Sends the greeting, and waits for that of the server.
  public init(_ process: any RemoteProcess, patience: Duration) throws(SFTPError) {
    self.process = process
    self.patience = patience
    var greeting = Greeting(process: process, patience: patience)
    extensions = try greeting.extensions()
    pending = greeting.pending
  }

  /// The number of requests in transit.
  public var count: Int { waiting.count }

  /// Sends requests and returns their ids. Requests for the same file are carried out in this order (section 3.1 of the draft).
  public func send(_ requests: some Sequence<SFTPRequest>) throws(SFTPError) -> [UInt32] {
    var (ids, bytes): ([UInt32], [UInt8]) = ([], [])
    for request in requests {
      lastID &+= 1
      waiting[lastID] = request
      ids.append(lastID)
      bytes += request.packet(lastID)
    }
    // A process that no longer reads has said why; reading its answers shows it.
    do throws(SyncError) { _ = try process.write(bytes) } catch { throw .stream(error) }
    return ids
  }

  /// True if an answer has arrived already.
  public var hasAnswer: Bool {
    guard pending.count - start >= 4 else { return false }
    return pending.count - start >= 4 + Int(Self.length(pending[start...]))
  }

  /// Waits for the next answer, to any of the requests in transit.
  public func receive() throws(SFTPError) -> (id: UInt32, reply: SFTPReply) {
    var reader = SFTPReader(try packet())
    let (id, reply) = try reader.reply()
    guard let request = waiting.removeValue(forKey: id) else {
      throw .violation("it responded to a request that was not sent")
    }
    guard request.accepts(reply) else { throw .violation("it sent an unexpected kind of response") }
    return (id, reply)
  }

  /// Carries out all requests, at most ``window`` at a time, and returns the answers in the order of the requests.
  public func perform(_ requests: [SFTPRequest]) throws(SFTPError) -> [SFTPReply] {
    var (rest, indices): (ArraySlice<SFTPRequest>, [UInt32: Int]) = (requests[...], [:])
    var replies: [SFTPReply?] = Array(repeating: nil, count: requests.count)
    while !rest.isEmpty || !indices.isEmpty {
      let next = rest.prefix(Self.window - count)
      if !next.isEmpty { for (index, id) in zip(next.indices, try send(next)) { indices[id] = index } }
      rest = rest.dropFirst(next.count)
      let (id, reply) = try receive()
      if let index = indices.removeValue(forKey: id) { replies[index] = reply }
    }
    return replies.compactMap(\.self)
  }

  // MARK: The stream

  private static func length(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Reads the next packet, without its length.
  private func packet() throws(SFTPError) -> [UInt8] {
    let end = ContinuousClock.now + patience
    try fill(4, until: end)
    let length = Int(Self.length(pending[start...]))
    guard (1...Self.longestPacket).contains(length) else {
      throw .violation("it sent a packet with an invalid length")
    }
    try fill(4 + length, until: end)
    defer { start += 4 + length }
    return Array(pending[start + 4..<start + 4 + length])
  }

  /// Waits until `count` bytes have arrived.
  private func fill(_ count: Int, until end: ContinuousClock.Instant) throws(SFTPError) {
    guard pending.count - start < count else { return }
    pending.removeFirst(start)
    start = 0
    while pending.count < count {
      guard ContinuousClock.now < end else { throw .violation("it sent a packet too slowly") }
      let bytes: [UInt8]
      do throws(SyncError) { bytes = try process.nextOutput() } catch { throw .stream(error) }
      guard !bytes.isEmpty else { throw .brokenOff }
      pending += bytes
    }
  }
}

/// The first packet of each side.
private struct Greeting {
  let process: any RemoteProcess
  let patience: Duration
  /// Bytes that were received and not parsed.
  var pending: [UInt8] = []

  /// The announcement of a server is short.
  private static let longest = 1 << 16

  /// Returns the extensions that the server announces. Bytes that are not a packet are the output of a login script or another
  /// program.
  mutating func extensions() throws(SFTPError) -> Set<String> {
    do throws(SyncError) { _ = try process.write(SFTPRequest.greeting) } catch { throw .stream(error) }
    let end = ContinuousClock.now + patience
    var length = 4
    while pending.count < length || length == 4 {
      if pending.count >= 4 {
        length = 4 + Int(pending.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
        guard (5...Self.longest).contains(length) else { throw .notOffered(said: pending) }
        guard pending.count < length else { break }
      }
      guard ContinuousClock.now < end else { throw .notOffered(said: pending) }
      let bytes: [UInt8]
      do throws(SyncError) { bytes = try process.nextOutput() } catch { throw .stream(error) }
      guard !bytes.isEmpty else { throw .notOffered(said: pending) }
      pending += bytes
    }
    var reader = SFTPReader(Array(pending[4..<length]))
    pending.removeFirst(length)
    return try reader.extensions()
  }
}
