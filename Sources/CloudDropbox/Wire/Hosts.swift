internal import CurlHTTP
internal import SyncKit

/// The addresses of the service: for calls, for contents, for long polls, and for the user's browser.
struct Hosts: Hashable, Sendable {
  var api = "https://api.dropboxapi.com"
  var content = "https://content.dropboxapi.com"
  var notify = "https://notify.dropboxapi.com"
  var web = "https://www.dropbox.com"

  /// Returns nil if one of the addresses is not http or https.
  init?(_ settings: Dropbox.Settings) {
    if let all = settings.apiUrl { (api, content, notify, web) = (all.text, all.text, all.text, all.text) }
    content = settings.contentUrl?.text ?? content
    notify = settings.notifyUrl?.text ?? notify
    web = settings.webUrl?.text ?? web
    for host in [\Hosts.api, \.content, \.notify, \.web] {
      guard self[keyPath: host].hasPrefix("http://") || self[keyPath: host].hasPrefix("https://") else { return nil }
      if self[keyPath: host].hasSuffix("/") { self[keyPath: host].removeLast() }
    }
  }
}

extension Dropbox {
  /// The configuration of the HTTP client.
  var client: HTTPClient.Configuration {
    var client = HTTPClient.Configuration(userAgent: "syncd", settings.http)
    client.connections = settings.connections
    return client
  }
}
