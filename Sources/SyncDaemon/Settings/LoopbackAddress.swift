public import SyncKit

/// A local port: `9780`, which means `"127.0.0.1:9780"`, or `"[::1]:9780"`.
public struct LoopbackAddress: Sendable, Hashable {
  /// An address of 127.0.0.0/8 (RFC 1122, 3.2.1.3), or `::1` (RFC 4291, 2.5.3).
  public let host: String
  /// The port; 0 for any free one.
  public let port: UInt16

  /// True for an IPv6 address.
  public var isVersion6: Bool { host.contains(":") }

  /// The port at 127.0.0.1.
  public init(port: UInt16) { self.init(host: "127.0.0.1", port: port) }

  private init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }
}

extension LoopbackAddress: TextSettingValue {
  public static var form: SettingForm {
    let port: JSON = ["type": "integer", "minimum": 0, "maximum": 65535]
    let text: JSON = ["type": "string", "pattern": #"^((127(\.[0-9]{1,3}){3}|\[::1\]):)?[0-9]{1,5}$"#]
    return SettingForm("a port such as 9780 or \"[::1]:9780\"", schema: ["anyOf": [port, text]])
  }

  /// Reads a port, or an address with one.
  public init(_ node: TOMLNode, in environment: SettingsEnvironment) throws(SettingsError) {
    let text =
      switch node.value {
      case .integer(let port): String(port)
      case .string(let text): text
      default: throw .expected(Self.form, at: node)
      }
    guard let address = LoopbackAddress(text: text) else {
      throw SettingsError(
        "expected \(Self.form.name); only a loopback address may precede the port",
        at: node.location)
    }
    self = address
  }

  public init?(text: String) {
    let colon = text.lastIndex(of: ":")
    let digits = colon.map { text[text.index(after: $0)...] } ?? text[...]
    guard let port = Self.decimal(digits, of: UInt16.self) else { return nil }
    guard let host = colon.map({ Self.host(text[..<$0]) }) ?? "127.0.0.1" else { return nil }
    self.init(host: host, port: port)
  }

  private static func host(_ text: Substring) -> String? {
    if text == "[::1]" { return "::1" }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == "127", parts.allSatisfy({ decimal($0, of: UInt8.self) != nil }) else {
      return nil
    }
    return String(text)
  }

  /// Signs, and leading zeros that some programs read as octal, are not allowed in an address.
  private static func decimal<Number: FixedWidthInteger>(_ text: Substring, of type: Number.Type) -> Number? {
    guard text.unicodeScalars.allSatisfy({ ("0"..."9").contains($0) }), text == "0" || !text.hasPrefix("0") else {
      return nil
    }
    return Number(text)
  }

  /// The address as `HOST:PORT`, with an IPv6 address in brackets.
  public var text: String { (isVersion6 ? "[\(host)]" : host) + ":\(port)" }

  /// A port alone is written as an integer.
  public var written: TOMLValue? {
    self == LoopbackAddress(port: port) ? .integer(Int(port)) : .string(text)
  }
}
