internal import CurlHTTP
internal import SyncKit

extension WebDAV {
  /// What HTTP has to know, with the secrets fetched from where they are kept.
  func access() async throws(SyncError) -> HTTPSettings {
    var access = HTTPSettings(userAgent: "syncd")
    access.credentials = try await credentials()
    access.caFile = settings.caFile?.path
    if let certificate = settings.clientCertificate {
      access.clientCertificate = HTTPSettings.ClientCertificate(
        file: certificate.path, keyFile: settings.clientKey?.path,
        keyPassword: try await reveal(settings.clientKeyPassword, "client-key-password"))
    }
    access.proxy = proxy
    access.allowsPlainHTTP = settings.plainHttp
    access.connections = settings.connections
    access.stallTimeout = settings.timeout
    access.connectTimeout = min(.seconds(15), settings.timeout)
    return access
  }

  private var proxy: HTTPSettings.Proxy {
    switch settings.proxy {
    case "": .environment
    case "none": .none
    default: .url(settings.proxy)
    }
  }

  private func credentials() async throws(SyncError) -> HTTPCredentials? {
    if settings.netrc { return .netrc }
    guard !settings.user.isEmpty else { return nil }
    let password = try await reveal(settings.password, "password") ?? ""
    switch settings.auth {
    case .basic: return .basic(user: settings.user, password: password)
    case .digest: return .digest(user: settings.user, password: password)
    }
  }

  private func reveal(_ secret: Secret?, _ name: String) async throws(SyncError) -> String? {
    do { return try await secret?.reveal() } catch {
      throw SyncError(.unauthorized, "cannot read the `\(name)` of \(settings.url.text): \(error)")
    }
  }
}
