internal import RsyncWire

/// A client of the sftp protocol over any byte stream.
final class SFTPClient {
  private let stream: any ByteStream
  /// Received bytes that are not parsed yet.
  private var pending: [UInt8] = []
  private var lastID: UInt32 = 0

  /// Answers are short, because no contents and no folders are read.
  private static let longestPacket = 1 << 16
  /// The maximum number of requests in transit, whose answers are not read while requests are written.
  private static let batch = 1_000

  /// Sends the greeting; throws unless the server supports our requests.
  init(_ stream: any ByteStream) throws(SFTPError) {
    self.stream = stream
    try write(SFTPRequest.greeting)
    var version = SFTPReader(try greeting())
    let extensions = try version.extensions()
    for name in [SFTPRequest.mover, SFTPRequest.linker] where !extensions.contains(name) {
      throw .lacks("the extension \(name) (OpenSSH has it since 5.7)")
    }
  }

  /// Sends all requests, up to a thousand at a time, and returns the answers in the order of the requests. Requests for the
  /// same file are carried out in that order as well (section 3.1 of the draft).
  func perform(_ requests: [SFTPRequest]) throws(SFTPError) -> [SFTPReply] {
    var replies: [SFTPReply] = []
    for start in stride(from: 0, to: requests.count, by: Self.batch) {
      replies += try exchange(requests[start..<min(start + Self.batch, requests.count)])
    }
    return replies
  }

  private func exchange(_ requests: ArraySlice<SFTPRequest>) throws(SFTPError) -> [SFTPReply] {
    let first = lastID &+ 1
    lastID &+= UInt32(requests.count)
    try write(requests.enumerated().flatMap { $1.packet(first &+ UInt32($0)) })
    var replies: [SFTPReply?] = Array(repeating: nil, count: requests.count)
    for _ in requests {
      var packet = SFTPReader(try packet())
      let (id, reply) = try packet.reply()
      let index = Int(id &- first)
      guard replies.indices.contains(index), replies[index] == nil else {
        throw .violation("it responded to a request that was not sent")
      }
      replies[index] = reply
    }
    return replies.compactMap(\.self)
  }

  // MARK: The stream

  private func write(_ bytes: [UInt8]) throws(SFTPError) {
    do throws(RsyncError) { try stream.write(bytes) } catch { throw .stream(error) }
  }

  /// Reads the server's first packet. Bytes that are not a packet are the output of a login script or another program.
  private func greeting() throws(SFTPError) -> [UInt8] {
    do throws(SFTPError) {
      return try packet()
    } catch .brokenOff {
      throw .notOffered(said: pending)
    } catch .violation {
      throw .notOffered(said: pending)
    }
  }

  /// Reads the next packet, without its length.
  private func packet() throws(SFTPError) -> [UInt8] {
    let length = Int(try peek(4).reduce(0) { $0 << 8 | UInt32($1) })
    guard (1...Self.longestPacket).contains(length) else {
      throw .violation("it sent a packet with an invalid length")
    }
    let packet = try peek(4 + length).dropFirst(4)
    pending.removeFirst(4 + length)
    return Array(packet)
  }

  /// Returns the first `count` received bytes; waits for them.
  private func peek(_ count: Int) throws(SFTPError) -> ArraySlice<UInt8> {
    while pending.count < count {
      let bytes: [UInt8]
      do throws(RsyncError) { bytes = try stream.read() } catch { throw .stream(error) }
      guard !bytes.isEmpty else { throw .brokenOff }
      pending += bytes
    }
    return pending.prefix(count)
  }
}
