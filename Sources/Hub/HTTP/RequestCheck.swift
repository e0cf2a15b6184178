package import SyncDaemon
import SyncKit

/// How devices reach a hub.
package struct HubNetwork: Sendable {
  /// The names of the hub, without port, in addition to those of the loopback interface.
  package var hosts: [String]
  /// True if the hub encrypts connections itself.
  package var isEncrypted: Bool
  /// The proxies that encrypt connections for it. If there are any, other machines are refused.
  package var proxies: Set<IPAddress>

  /// By default, a hub for this machine alone.
  package init(hosts: [String] = [], isEncrypted: Bool = false, proxies: Set<IPAddress> = []) {
    (self.hosts, self.isEncrypted, self.proxies) = (hosts, isEncrypted, proxies)
  }

  /// The network of a hub in the settings.
  package init(_ configuration: HubConfiguration) {
    hosts = configuration.settings.hosts
    isEncrypted = configuration.tls.certificate != nil
    proxies = Set(configuration.settings.behind.compactMap { IPAddress(text: $0) })
  }
}

/// The checks of a request that come before its session: from where it comes, which site it is for, and which one sent it.
struct RequestCheck: Sendable {
  let network: HubNetwork

  /// The largest body of a request in bytes.
  static let maxBody = 1 << 20

  /// Throws unless the request comes from this machine or a known proxy, if there are any: others did not encrypt it.
  func requireProxy(_ request: HubRequest) throws(Problem) {
    guard !network.proxies.isEmpty else { return }
    guard let address = IPAddress(text: request.address), address.isLoopback || network.proxies.contains(address) else {
      throw Problem(
        403, "proxy", "Only the proxies in `behind` of [hub] may connect, because this connection is not encrypted.")
    }
  }

  /// Returns the address of the client: the one that a proxy names last in the field Forwarded (RFC 7239), if it is a known proxy.
  func client(of request: HubRequest) -> String {
    guard let address = IPAddress(text: request.address), network.proxies.contains(address),
      let last = request.fields["forwarded"]?.split(separator: ",").last
    else { return request.address }
    let named = last.split(separator: ";").lazy.map { $0.trimmingPrefix { $0 == " " } }
      .first { $0.lowercased().hasPrefix("for=") }
    return named.map { Self.host($0.dropFirst(4).filter { $0 != "\"" }) } ?? request.address
  }

  /// Returns a node of the field Forwarded without its port, which differs with each connection. An IPv6 address is in brackets
  /// (RFC 7239, 6).
  private static func host(_ node: String) -> String {
    if node.hasPrefix("["), let end = node.firstIndex(of: "]") { return String(node[...end]) }
    return String(node.prefix { $0 != ":" })
  }

  /// Throws unless the request is for this hub: a name that another site resolves to this address is not ours (DNS rebinding).
  func requireHost(_ request: HubRequest) throws(Problem) {
    guard let host = request.fields["host"], isOurs(host) else {
      let name = request.fields["host"] ?? ""
      throw Problem(
        421, "host",
        "The host name \(name.printable) is not one of this hub: add it to `hosts` in [hub] of the settings, or use localhost."
      )
    }
  }

  /// Throws unless a request that changes something was sent by a page of this hub, as JSON.
  ///
  /// - Parameter hasToken: true if the request has a token of its own, which a browser does not add by itself.
  func requireOrigin(_ request: HubRequest, hasToken: Bool) throws(Problem) {
    if !hasToken, !isFromHere(request) {
      throw Problem(403, "origin", "Only pages of this hub may send this request.")
    }
    let type = request.fields["content-type"]?.split(separator: ";").first.map(String.init) ?? ""
    guard type.lowercased() == "application/json" || request.method == "DELETE" && request.body.isEmpty else {
      throw Problem(415, "type", "Send the body as application/json.")
    }
    guard request.body.count <= Self.maxBody else {
      throw Problem(413, "size", "A body may have 1 MiB at most. Send fewer patches at once.")
    }
  }

  private func isFromHere(_ request: HubRequest) -> Bool {
    if let site = request.fields["sec-fetch-site"], site != "same-origin" { return false }
    guard let origin = request.fields["origin"] else { return request.fields["sec-fetch-site"] == "same-origin" }
    let host = request.fields["host"] ?? ""
    // Without encryption of its own, the hub may be behind a proxy on this machine that has it.
    return origin == "https://\(host)" || !network.isEncrypted && origin == "http://\(host)"
  }

  private func isOurs(_ host: String) -> Bool {
    let name = Self.name(of: host).lowercased()
    return ["127.0.0.1", "[::1]", "localhost"].contains(name) || network.hosts.contains { $0.lowercased() == name }
  }

  /// The host without its port.
  private static func name(of host: String) -> String {
    guard let colon = host.lastIndex(of: ":"), host[host.index(after: colon)...].allSatisfy(\.isNumber) else {
      return host
    }
    return String(host[..<colon])
  }
}

/// The limits of a request's size.
package enum RequestLimits {
  /// The largest body in bytes.
  package static let body = RequestCheck.maxBody
}
