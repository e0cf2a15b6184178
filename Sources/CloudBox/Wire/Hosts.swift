internal import HTTPStorage
internal import SyncKit

/// The addresses of the service: for calls, for uploads, and for the user's browser.
struct Hosts: Hashable, Sendable {
  var api = "https://api.box.com"
  var upload = "https://upload.box.com/api"
  var web = "https://account.box.com/api"

  /// Returns nil if one of the addresses is not http or https.
  init?(_ settings: Box.Settings) {
    if let all = settings.apiUrl?.text {
      let all = all.hasSuffix("/") ? String(all.dropLast()) : all
      (api, upload, web) = (all, all + "/api", all + "/api")
    }
    upload = settings.uploadUrl?.text ?? upload
    web = settings.webUrl?.text ?? web
    for host in [\Hosts.api, \.upload, \.web] {
      guard self[keyPath: host].hasPrefix("http://") || self[keyPath: host].hasPrefix("https://") else { return nil }
      if self[keyPath: host].hasSuffix("/") { self[keyPath: host].removeLast() }
    }
  }

  /// Returns true if requests may go to an address that Box names, without the access token: over TLS, or to the host of a
  /// test.
  func mayName(_ url: String) -> Bool {
    url.hasPrefix("https://") || api.hasPrefix("http://") && Self.origin(of: url) == Self.origin(of: api)
  }

  /// Returns an address of an upload session: the one that Box names, if it is on the upload host, where the access token may
  /// go, otherwise the documented one.
  ///
  /// - Parameter part: the end of the documented address, such as `/commit`
  func session(_ id: String, _ url: String, _ part: String = "") -> String {
    if Self.origin(of: url) == Self.origin(of: upload) { return url }
    return "\(upload)/2.0/files/upload_sessions/\(PercentCoding.encoded(id.utf8))\(part)"
  }

  private static func origin(of url: String) -> String {
    url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).prefix(3).enumerated()
      .map { $0 < 2 ? String($1) : String($1.prefix { $0 != "/" && $0 != "?" }) }.joined(separator: "/")
  }
}
