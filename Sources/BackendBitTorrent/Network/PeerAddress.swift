#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The IP address and port of another device, as in the settings: `192.0.2.7:47113` or `[2001:db8::7]:47113`.
struct PeerAddress: Hashable, Sendable {
  let host: String
  let port: UInt16

  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
      return nil
    }
    var host = String(text[..<colon])
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    if isBracketed { host = String(host.dropFirst().dropLast()) }
    var bytes = [UInt8](repeating: 0, count: 16)
    guard unsafe inet_pton(isBracketed ? AF_INET6 : AF_INET, host, &bytes) == 1 else { return nil }
    (self.host, self.port) = (host, port)
  }
}
