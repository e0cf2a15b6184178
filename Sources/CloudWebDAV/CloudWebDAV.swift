public import CurlHTTP
public import SyncKit

public let plugins: [any Plugin.Type] = [WebDAV.self]

/// A folder on a WebDAV server.
public struct WebDAV: CloudStorage {
  public static let id = "webdav"
  public static let summary = "Keeps files on a WebDAV server: Nextcloud, Apache, a NAS and many others."

  public struct Settings: PluginSettings {
    @Setting("Address of the folder, https://…; http only for this machine, unless plain-http allows it.", .shareable)
    public var url: URLText
    @Setting("User name.", .shareable, .asked) public var user = ""
    @Setting("Password, or app password.", .asked) public var password: Secret? = nil
    @Setting("HTTP authentication: basic, or digest, which never sends the password itself.", .shareable)
    public var auth = Authentication.basic
    @Setting("Read user and password from ~/.netrc.") public var netrc = false
    @Setting("Client certificate (PEM).") public var clientCertificate: SettingPath? =
      nil
    @Setting("Private key of the client certificate, if it is in another file.") public var clientKey: SettingPath? =
      nil
    @Setting("Password of the private key.") public var clientKeyPassword: Secret? = nil
    /// The connection to the server.
    public var http = HTTPSettings()
    @Setting("Write to a server without conditional writes, locks or safe moves; concurrent edits can be lost.")
    public var unsafeWrites = false
    @Setting(
      "Read each upload back and compare it, because the server may alter files without changing their size.",
      .shareable)
    public var verifyUploads = false
    @Setting("Maximum number of concurrent requests.", .shareable, .range(1...256)) public var connections = 16
    @Setting("Maximum number of files and folders in a listing.", .shareable, .range(1...10_000_000)) public
      var maxFiles = ListingLimit.defaultMaximum

    public init() {}

    public var contradictions: [String] {
      (Address(url.text) == nil ? ["`url` must be an http or https address without user, `?` and `#`"] : [])
        + [http.refusal(of: url.text, in: "url")].compactMap(\.self)
        + (netrc && (!user.isEmpty || password != nil) ? ["`netrc` and `user` or `password` exclude each other"] : [])
        + (user.isEmpty && password != nil ? ["`password` requires `user`"] : [])
        + (clientKey != nil && clientCertificate == nil ? ["`client-key` requires `client-certificate`"] : [])
    }
  }

  /// The authentication scheme.
  public enum Authentication: String, CaseIterable, SettingValue {
    case basic, digest
  }

  let settings: Settings

  public init(_ settings: Settings, _ context: PluginContext) { self.settings = settings }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Storage {
    guard let address = Address(settings.url.text) else {
      throw SyncError(.invalidSettings, "`url` of the remote \(parts.name) is not an http or https address")
    }
    let access = try await access()
    return WebDAVStorage(
      Server(address, access, runtime: parts.runtime), parts: parts, allowsUnsafeWrites: settings.unsafeWrites,
      verifiesUploads: settings.verifyUploads, maxFiles: settings.maxFiles)
  }
}
