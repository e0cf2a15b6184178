internal import SyncKit

/// A parser for one packet of an sftp server. Reading beyond its end is a violation.
struct SFTPReader {
  private let packet: [UInt8]
  private var position = 0

  init(_ packet: [UInt8]) { self.packet = packet }

  private var rest: Int { packet.count - position }

  mutating func byte() throws(SFTPError) -> UInt8 { try bytes(1)[0] }

  mutating func number() throws(SFTPError) -> UInt32 {
    try bytes(4).reduce(0) { $0 << 8 | UInt32($1) }
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
    case 105: return (id, .found(try kind()))
    default: throw .violation("it sent an unexpected kind of response")
    }
  }

  private mutating func status() throws(SFTPError) -> SFTPReply {
    let code = try number()
    guard code != 0 else { return .done }
    // Servers of the early drafts send no message.
    let message = rest > 0 ? printable(try string()) : ""
    return .refused(code: code, message: message.isEmpty ? "no reason given" : message)
  }

  /// The file type in the attributes' permissions (section 5); unknown without them.
  private mutating func kind() throws(SFTPError) -> SFTPReply.Kind {
    let flags = try number()
    if flags & 0x01 != 0 { _ = try bytes(8) }
    if flags & 0x02 != 0 { _ = try bytes(8) }
    guard flags & 0x04 != 0 else { return .other }
    switch try number() & 0o170000 {
    case 0o100000: return .file
    case 0o040000: return .folder
    default: return .other
    }
  }
}
