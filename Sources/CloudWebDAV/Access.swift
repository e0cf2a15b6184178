internal import CurlHTTP
internal import SyncKit

extension WebDAV {
  /// Returns the configuration of the HTTP client, with the secrets from their sources.
  func access() async throws(SyncError) -> HTTPClient.Configuration {
    var access = HTTPClient.Configuration(userAgent: "syncd", settings.http)
    access.credentials = try await credentials()
    if let certificate = settings.clientCertificate {
      access.clientCertificate = HTTPClient.ClientCertificate(
        file: certificate.path, keyFile: settings.clientKey?.path,
        keyPassword: try await reveal(settings.clientKeyPassword, "client-key-password"))
    }
    access.connections = settings.connections
    return access
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
      throw SyncError(.unauthorized, "the `\(name)` of \(settings.url.text) cannot be read: \(error)")
    }
  }
}
