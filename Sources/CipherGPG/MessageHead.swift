#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The recipients of an OpenPGP message, from its first packets (RFC 4880, 4.2, 5.1 and 5.3; RFC 9580 has more types). Throws
/// unless all of them are identified keys: no program could encrypt another message for the same recipients.
struct MessageHead: Hashable {
  /// The key ids in hexadecimal digits, as gpg writes them.
  private(set) var keys: Set<String> = []
  /// True if the message is armored (RFC 4880, 6.2).
  let isArmored: Bool

  init(_ bytes: [UInt8]) throws(Complaint) {
    isArmored = bytes.starts(with: Self.armor)
    var packets = Packets(rest: (isArmored ? try Self.unarmored(bytes) : bytes)[...])
    while let packet = try packets.next() {
      switch packet.tag {
      case 1: try add(packet.body)
      case 3: throw Complaint("is encrypted with a passphrase, which syncd does not support")
      default: break
      }
    }
    guard !keys.isEmpty else { throw Complaint("has no recipient") }
  }

  /// A version 3 packet has the key id in the next eight bytes; zeros hide it.
  private mutating func add(_ body: ArraySlice<UInt8>) throws(Complaint) {
    guard body.first == 3, body.count >= 9 else { throw Complaint("uses an unknown kind of encryption") }
    let key = body.dropFirst().prefix(8)
    guard key.contains(where: { $0 != 0 }) else { throw Complaint("hides its recipients") }
    keys.insert(
      key.map { byte in
        let digits = String(byte, radix: 16, uppercase: true)
        return digits.count == 1 ? "0" + digits : digits
      }.joined())
  }

  private static let armor = Array("-----BEGIN PGP MESSAGE".utf8)

  /// Returns the text between the blank line after the armor headers and the checksum.
  private static func unarmored(_ text: [UInt8]) throws(Complaint) -> [UInt8] {
    let lines = String(decoding: text, as: UTF8.self).split(omittingEmptySubsequences: false) { $0.isNewline }
    let body = lines.drop { !$0.allSatisfy(\.isWhitespace) }.dropFirst().prefix {
      !$0.hasPrefix("=") && !$0.hasPrefix("-")
    }
    guard let data = Data(base64Encoded: body.joined(), options: .ignoreUnknownCharacters) else {
      throw Complaint("is not a file of gpg")
    }
    return Array(data)
  }
}

/// The packets before the encrypted data, in order.
private struct Packets {
  var rest: ArraySlice<UInt8>

  /// The tags of valid packets: keys, passphrases, and a marker without meaning.
  private static let tags: Set<UInt8> = [1, 3, 10]
  /// The tags of encrypted data, in its three forms.
  private static let data: Set<UInt8> = [9, 18, 20]

  /// Returns the next packet; nil where the encrypted data begins.
  mutating func next() throws(Complaint) -> (tag: UInt8, body: ArraySlice<UInt8>)? {
    guard let first = rest.popFirst(), first & 0x80 != 0 else { throw Complaint("is not a file of gpg") }
    let isNew = first & 0x40 != 0
    let tag = isNew ? first & 0x3F : first >> 2 & 0x0F
    if Self.data.contains(tag) { return nil }
    guard Self.tags.contains(tag), let count = isNew ? newLength() : oldLength(1 << (first & 3)), count <= rest.count
    else {
      throw Complaint("is not a plain encrypted file of gpg")
    }
    defer { rest = rest.dropFirst(count) }
    return (tag, rest.prefix(count))
  }

  /// The length in the new format, RFC 4880, 4.2.2; none of these packets has partial lengths.
  private mutating func newLength() -> Int? {
    guard let first = number(of: 1) else { return nil }
    switch first {
    case ..<192: return first
    case ..<224: return number(of: 1).map { (first - 192) << 8 + $0 + 192 }
    case 255: return number(of: 4)
    default: return nil
    }
  }

  /// The length in the old format, RFC 4880, 4.2.1; only data may have an indeterminate length.
  private mutating func oldLength(_ bytes: Int) -> Int? { bytes > 4 ? nil : number(of: bytes) }

  private mutating func number(of bytes: Int) -> Int? {
    guard rest.count >= bytes else { return nil }
    defer { rest = rest.dropFirst(bytes) }
    return rest.prefix(bytes).reduce(0) { $0 << 8 | Int($1) }
  }
}
