internal import CurlHTTP
internal import SyncKit

/// The addresses of the service: one for calls, one for contents, one to wait on, one for people.
struct Hosts: Hashable, Sendable {
  var api = "https://api.dropboxapi.com"
  var content = "https://content.dropboxapi.com"
  var notify = "https://notify.dropboxapi.com"
  var web = "https://www.dropbox.com"

  /// Nil if one of the addresses is none of http or https.
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
  /// How the HTTP client connects.
  var client: HTTPClient.Configuration {
    var client = HTTPClient.Configuration(userAgent: "syncd", settings.http)
    client.connections = settings.connections
    return client
  }
}
