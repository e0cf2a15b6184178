#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The host and port of another device, as in the settings: `home.example.org:47113`, `192.0.2.7:47113` or `[2001:db8::7]:47113`.
struct PeerAddress: Hashable, Sendable {
  let host: String
  let port: UInt16

  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
      return nil
    }
    var host = String(text[..<colon])
    if host.hasPrefix("[") && host.hasSuffix("]") {
      host = String(host.dropFirst().dropLast())
      guard Self.isAddress(host, AF_INET6) else { return nil }
    } else {
      guard Self.isAddress(host, AF_INET) || Self.isName(host) else { return nil }
    }
    (self.host, self.port) = (host, port)
  }

  private static func isAddress(_ host: String, _ family: Int32) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16)
    return unsafe inet_pton(family, host, &bytes) == 1
  }

  /// True for the name of a host (RFC 1123, section 2.1): its last label is not a number, so that it cannot be a mistyped address.
  private static func isName(_ host: String) -> Bool {
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    return host.utf8.count <= 253
      && labels.allSatisfy { (1...63).contains($0.utf8.count) && $0.utf8.allSatisfy(isOfName) && $0.first != "-" }
      && labels.last?.allSatisfy(\.isNumber) == false
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
    default: false
    }
  }
}
