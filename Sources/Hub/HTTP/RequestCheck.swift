import SyncKit

/// The checks of a request that come before its session: which site it is for, and which one sent it.
struct RequestCheck: Sendable {
  /// The names by which devices reach the hub, without port, in addition to those of the loopback interface.
  let hosts: [String]

  /// The largest body of a request in bytes.
  static let maxBody = 1 << 20

  /// Throws unless the request is for this hub: a name that another site resolves to this address is not ours (DNS rebinding).
  func requireHost(_ request: HubRequest) throws(Problem) {
    guard let host = request.fields["host"], isOurs(host) else {
      let name = request.fields["host"] ?? ""
      throw Problem(
        421, "host", "The host name \(name.printable) is not one of this hub. Use 127.0.0.1, localhost or [::1].")
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
    return origin == "http://\(request.fields["host"] ?? "")" || origin == "https://\(request.fields["host"] ?? "")"
  }

  private func isOurs(_ host: String) -> Bool {
    let name = Self.name(of: host).lowercased()
    return ["127.0.0.1", "[::1]", "localhost"].contains(name) || hosts.contains { $0.lowercased() == name }
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
