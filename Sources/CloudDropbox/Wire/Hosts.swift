internal import CurlHTTP
internal import SyncKit

/// The addresses of the service: one for calls, one for contents, one to wait on, one for people.
struct Hosts: Hashable, Sendable {
  var api = "https://api.dropboxapi.com"
  var content = "https://content.dropboxapi.com"
  var notify = "https://notify.dropboxapi.com"
  var web = "https://www.dropbox.com"

  static let dropbox = Hosts()

  private init() {}

  /// One address for all of them; nil if it is none of http or https.
  init?(service: String) {
    let address = service.hasSuffix("/") ? String(service.dropLast()) : service
    guard address.hasPrefix("http://") || address.hasPrefix("https://") else { return nil }
    (api, content, notify, web) = (address, address, address, address)
  }
}

extension HTTPSettings {
  /// What HTTP has to know.
  init(_ plugin: Dropbox) {
    self.init(userAgent: "syncd")
    switch plugin.settings.proxy {
    case "": proxy = .environment
    case "none": proxy = .none
    default: proxy = .url(plugin.settings.proxy)
    }
    connections = plugin.settings.connections
    stallTimeout = plugin.settings.timeout
    connectTimeout = min(.seconds(15), plugin.settings.timeout)
  }
}
