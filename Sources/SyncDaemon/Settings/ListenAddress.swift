public import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An address at which a server listens: a port at 127.0.0.1, or an IP address with a port.
public struct ListenAddress: Sendable, Hashable {
  /// The IP address, without brackets.
  public let host: String
  /// The port; 0 for any free one.
  public let port: UInt16

  /// The port at 127.0.0.1.
  public init(port: UInt16) { (host, self.port) = ("127.0.0.1", port) }

  private init(_ host: String, _ port: UInt16) { (self.host, self.port) = (host, port) }

  /// True if only this machine reaches the address.
  public var isLoopback: Bool { IPAddress(text: host)?.isLoopback ?? false }

  /// True if it stands for all addresses of this machine.
  public var isWildcard: Bool { IPAddress(text: host)?.isWildcard ?? false }

  /// The host as in an address of the web, with an IPv6 address in brackets.
  public var urlHost: String { host.contains(":") ? "[\(host)]" : host }
}

extension ListenAddress: TextSettingValue {
  public static var form: SettingForm {
    let port: JSON = ["type": "integer", "minimum": 0, "maximum": 65535]
    let text: JSON = ["type": "string", "pattern": #"^(([0-9.]+|localhost|\[[0-9a-fA-F:.]+\]):)?[0-9]{1,5}$"#]
    return SettingForm("a port such as 8484, or \"192.168.1.5:8484\"", schema: ["anyOf": [port, text]])
  }

  /// Reads a port, or an address with one.
  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    let text =
      switch node.value {
      case .integer(let port): String(port)
      case .string(let text): text
      default: throw .expected(Self.form, at: node)
      }
    guard let address = ListenAddress(text: text) else { throw .expected(Self.form, at: node) }
    self = address
  }

  public init?(text: String) {
    if let port = LoopbackAddress(text: text)?.port, !text.contains(":") {
      self.init(port: port)
      return
    }
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let (host, digits) = (text[..<colon], text[text.index(after: colon)...])
    guard let port = LoopbackAddress(text: String(digits))?.port else { return nil }
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    let name = host == "localhost" ? "127.0.0.1" : String(isBracketed ? host.dropFirst().dropLast() : host)
    guard let address = IPAddress(text: name), address.isVersion6 == isBracketed else { return nil }
    self.init(name, port)
  }

  /// The address as `HOST:PORT`, with an IPv6 address in brackets.
  public var text: String { "\(urlHost):\(port)" }

  /// A port alone is written as an integer.
  public var written: TOMLValue? { self == ListenAddress(port: port) ? .integer(Int(port)) : .string(text) }
}

/// An IP address as its bytes, so that two spellings of one address are equal.
package struct IPAddress: Sendable, Hashable {
  private let bytes: [UInt8]

  /// Reads an address of version 4 or 6. One of version 4 in the form of version 6 (RFC 4291, 2.5.5.2) is one of version 4.
  package init?(text: String) {
    let four = Self.bytes(text, AF_INET, 4)
    guard let bytes = four ?? Self.bytes(text, AF_INET6, 16) else { return nil }
    let isMapped = bytes.count == 16 && bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xff, 0xff])
    self.bytes = isMapped ? Array(bytes.suffix(4)) : bytes
  }

  private static func bytes(_ text: String, _ family: Int32, _ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    return unsafe inet_pton(family, text, &bytes) == 1 ? bytes : nil
  }

  package var isVersion6: Bool { bytes.count == 16 }

  /// True for 127.0.0.0/8 (RFC 1122, 3.2.1.3) and `::1` (RFC 4291, 2.5.3).
  package var isLoopback: Bool {
    isVersion6 ? bytes == [UInt8](repeating: 0, count: 15) + [1] : bytes[0] == 127
  }

  package var isWildcard: Bool { bytes.allSatisfy { $0 == 0 } }
}
