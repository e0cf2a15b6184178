public import CurlHTTP
internal import HTTPStorage
public import SyncKit

public let plugins: [any Plugin.Type] = [Box.self]

/// A folder in Box.
public struct Box: CloudStorage {
  public static let id = "box"
  public static let summary = "Keeps files in Box, in a folder below All Files."
  public static var failpoints: [Failpoint] { BoxFailpoint.all + MoveFailpoint.all }

  /// The owner of the access: a user who signs in, or the app itself.
  public enum Authentication: String, Sendable, CaseIterable, SettingValue {
    case user, app
  }

  public struct Settings: PluginSettings {
    @Setting("Client ID of your own app in Box's developer console.", .shareable) public var clientId: String
    @Setting("Client secret of the app.") public var clientSecret: Secret
    @Setting("Sign in as a user with the command login (user), or as the app itself (app), for servers.", .shareable)
    public var auth = Authentication.user
    @Setting("With auth = app: the account, as user:ID or enterprise:ID.", .shareable) public var subject: String? = nil
    @Setting("Sign-in; best as { file = … }, which the command login writes and each pass may replace.")
    public var refreshToken: Secret? = nil
    @Setting("Program that stores the sign-in; it gets each new one on its standard input.")
    public var tokenCommand: [String] = []
    @Setting("Folder, such as /Notes, or id:12345. Default: All Files.", .shareable) public var root = ""
    @Setting(
      "Port for the browser to return to, registered as http://localhost:PORT. Default: paste the address.", .shareable)
    public var redirectPort: Int? = nil
    @Setting("API address, for tests; the default of the other addresses.") public var apiUrl: URLText? = nil
    @Setting("Upload address, for tests.") public var uploadUrl: URLText? = nil
    @Setting("Address of the authorization page, for tests.") public var webUrl: URLText? = nil
    @Setting("Maximum number of concurrent requests.", .shareable, .range(1...16)) public var connections = 4
    @Setting("Maximum number of files and folders in a listing.", .shareable, .range(1...10_000_000)) public
      var maxFiles = ListingLimit.defaultMaximum
    /// The connection to the service.
    public var http = HTTPSettings()

    public init() {}

    public var contradictions: [String] {
      (BoxFolder(root) == nil
        ? ["`root` must be empty, an absolute path without empty parts and `..`, or id: and a number"] : [])
        + (clientId.isEmpty ? ["`client-id` must not be empty"] : [])
        + (Hosts(self) == nil ? ["the addresses must be http or https addresses"] : [])
        + (auth == .app && subject.flatMap(AppGrant.Subject.init) == nil
          ? ["`auth = \"app\"` requires `subject`, as user:ID or enterprise:ID"] : [])
        + (auth == .user && keepsNoToken
          ? ["`refresh-token` must be { file = … }, or `token-command` must store it: Box replaces it at every use"]
          : [])
    }

    /// True if a new refresh token could not be stored.
    private var keepsNoToken: Bool { refreshToken == nil || refreshToken?.file == nil && tokenCommand.isEmpty }
  }

  let settings: Settings
  private let context: PluginContext

  public init(_ settings: Settings, _ context: PluginContext) {
    self.settings = settings
    self.context = context
  }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Storage {
    guard let folder = BoxFolder(settings.root) else {
      throw SyncError(.invalidSettings, "`root` of the remote \(parts.name) is not a folder in Box")
    }
    let tokens = try tokens(name: parts.name, runtime: parts.runtime)
    let service = Service(try hosts(), client, tokens: tokens, remote: parts.name, runtime: parts.runtime)
    return BoxStorage(service, folder, parts: parts, settings)
  }

  /// The name of the remote whose settings table this is.
  var remote: String { context.remote(or: Self.id) }

  /// The configuration of the HTTP client.
  var client: HTTPClient.Configuration {
    var client = HTTPClient.Configuration(userAgent: "syncd", settings.http)
    client.connections = settings.connections
    return client
  }

  func hosts() throws(SyncError) -> Hosts {
    guard let hosts = Hosts(settings) else {
      throw SyncError(.invalidSettings, "the addresses of the remote \(remote) must be http or https addresses")
    }
    return hosts
  }

  /// The access tokens of the account in the settings.
  private func tokens(name: String, runtime: Runtime) throws(SyncError) -> AccessTokens {
    let exchange = TokenExchange(
      try hosts(), client, clientId: settings.clientId, secret: settings.clientSecret, remote: name, runtime: runtime)
    switch settings.auth {
    case .user:
      let rotation = try TokenRotation(exchange, settings, remote: name, environment: context.environment)
      return AccessTokens(runtime: runtime) { (stale, margin) throws(SyncError) in
        try await rotation.token(insteadOf: stale, margin: margin)
      }
    case .app:
      guard let subject = settings.subject.flatMap(AppGrant.Subject.init) else {
        throw SyncError(.invalidSettings, "`subject` of the remote \(name) must be user:ID or enterprise:ID")
      }
      let grant = AppGrant(exchange: exchange, subject: subject)
      return AccessTokens(runtime: runtime) { (_, _) throws(SyncError) in try await grant.token() }
    }
  }
}
