internal import SyncKit

/// A parser for one packet of an sftp server. Reading beyond its end is a violation.
public struct SFTPReader {
  private let packet: [UInt8]
  private var position = 0

  /// A parser for a packet without its length, or for the payload of an extension.
  public init(_ packet: [UInt8]) { self.packet = packet }

  private var rest: Int { packet.count - position }

  mutating func byte() throws(SFTPError) -> UInt8 { try bytes(1)[0] }

  mutating func number() throws(SFTPError) -> UInt32 {
    try bytes(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Reads the next 64-bit number.
  public mutating func long() throws(SFTPError) -> UInt64 {
    UInt64(try number()) << 32 | UInt64(try number())
  }

  mutating func string() throws(SFTPError) -> [UInt8] { try bytes(Int(try number())) }

  private mutating func bytes(_ count: Int) throws(SFTPError) -> [UInt8] {
    guard count <= rest else { throw .violation("it sent a packet that is too short") }
    defer { position += count }
    return Array(packet[position..<position + count])
  }

  // MARK: Packets

  /// Reads the names of the extensions that the server announces with its version (type 2).
  mutating func extensions() throws(SFTPError) -> Set<String> {
    guard try byte() == 2, try number() >= 3 else { throw .lacks("version 3 of the protocol") }
    var names: Set<String> = []
    while rest > 0 {
      names.insert(String(decoding: try string(), as: UTF8.self))
      _ = try string()
    }
    return names
  }

  /// Reads an answer and the id of its request.
  mutating func reply() throws(SFTPError) -> (id: UInt32, reply: SFTPReply) {
    let (type, id) = (try byte(), try number())
    switch type {
    case 101: return (id, try status())
    case 102: return (id, .handle(try string()))
    case 103: return (id, .data(try string()))
    case 104: return (id, .names(try names()))
    case 105: return (id, .attributes(try attributes()))
    case 201: return (id, .extended(try bytes(rest)))
    default: throw .violation("it sent an unexpected kind of response")
    }
  }

  private mutating func status() throws(SFTPError) -> SFTPReply {
    let code = try number()
    guard code != 0 else { return .done }
    // Servers of the early drafts send no message.
    let message = rest > 0 ? printable(try string()) : ""
    return .refused(SFTPStatus(code: code, message: message.isEmpty ? "no reason given" : message))
  }

  private mutating func names() throws(SFTPError) -> [SFTPName] {
    let count = try number()
    var names: [SFTPName] = []
    // The count alone allocates nothing: each name must be in the packet.
    for _ in 0..<count {
      let name = try string()
      // The line of `ls -l`, for people.
      _ = try string()
      names.append(SFTPName(name: name, attributes: try attributes()))
    }
    return names
  }

  private mutating func attributes() throws(SFTPError) -> SFTPAttributes {
    var found = SFTPAttributes()
    let flags = try number()
    if flags & 0x01 != 0 { found.size = try long() }
    if flags & 0x02 != 0 { _ = try bytes(8) }
    if flags & 0x04 != 0 { found.permissions = try number() }
    if flags & 0x08 != 0 {
      _ = try number()
      found.seconds = try number()
    }
    if flags & 0x8000_0000 != 0 {
      for _ in 0..<(try number()) { for _ in 0..<2 { _ = try string() } }
    }
    return found
  }
}
