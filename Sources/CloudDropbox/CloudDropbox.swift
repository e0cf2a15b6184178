public import CurlHTTP
internal import HTTPStorage
public import SyncKit

public let plugins: [any Plugin.Type] = [Dropbox.self]

/// A folder in Dropbox.
public struct Dropbox: CloudStorage {
  public static let id = "dropbox"
  public static let summary = "Keeps files in Dropbox, in an app folder or any other folder."

  public struct Settings: PluginSettings {
    @Setting("App key from Dropbox's app console.", .shareable) public var appKey: String
    @Setting("Sign-in; best as { file = … }, which the command login writes.") public var refreshToken: Secret
    @Setting("Program that stores the sign-in; the command login writes it to the program's standard input.")
    public var tokenCommand: [String] = []
    @Setting("Folder, such as /Notes. Default: the app folder, or all of the Dropbox.", .shareable) public var root = ""
    @Setting("Use the team space instead of the member folder.", .shareable) public var teamSpace = false
    @Setting(
      "Port for the browser to return to, registered as http://localhost:PORT. Default: paste a code.", .shareable)
    public var redirectPort: Int? = nil
    @Setting("API address, for tests; the default of the other addresses.") public var apiUrl: URLText? =
      nil
    @Setting("Content address, for tests.") public var contentUrl: URLText? = nil
    @Setting("Long poll address, for tests.") public var notifyUrl: URLText? = nil
    @Setting("Address of the authorization page, for tests.") public var webUrl: URLText? = nil
    @Setting("Maximum number of concurrent requests.", .shareable, .range(1...64)) public var connections = 8
    @Setting("Maximum number of files and folders in a listing.", .shareable, .range(1...10_000_000)) public
      var maxFiles = ListingLimit.defaultMaximum
    /// The connection to the service.
    public var http = HTTPSettings()

    public init() {}

    public var contradictions: [String] {
      (DropboxFolder(root) == nil ? ["`root` must be empty or begin with `/`, without empty parts and `..`"] : [])
        + (appKey.isEmpty ? ["`app-key` must not be empty"] : [])
        + (Hosts(self) == nil ? ["the addresses must be http or https addresses"] : [])
    }
  }

  let settings: Settings
  private let context: PluginContext

  public init(_ settings: Settings, _ context: PluginContext) {
    self.settings = settings
    self.context = context
  }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Storage {
    guard let folder = DropboxFolder(settings.root) else {
      throw SyncError(.invalidSettings, "`root` of the remote \(parts.name) is not a Dropbox folder")
    }
    let service = try service(name: parts.name, runtime: parts.runtime)
    return DropboxStorage(service, folder, parts: parts, settings)
  }

  /// The account in the settings.
  func service(name: String, runtime: Runtime) throws(SyncError) -> Service {
    let secret = settings.refreshToken
    let exchange = TokenExchange(
      hosts: try hosts(), client: client, appKey: settings.appKey, runtime: runtime)
    let tokens = AccessTokens(runtime: runtime) { (_, _) throws(SyncError) in
      try await exchange.refresh(try await Self.reveal(secret, name), remote: name)
    }
    return Service(try hosts(), client, tokens: tokens, remote: name, runtime: runtime)
  }

  func hosts() throws(SyncError) -> Hosts {
    guard let hosts = Hosts(settings) else {
      throw SyncError(.invalidSettings, "the addresses of the remote \(remote) must be http or https addresses")
    }
    return hosts
  }

  /// The name of the remote whose settings table this is.
  var remote: String { context.remote(or: Self.id) }

  private static func reveal(_ secret: Secret, _ remote: String) async throws(SyncError) -> String {
    do { return try await secret.reveal() } catch {
      throw SyncError(
        .unauthorized, "not signed in to the remote \(remote): \(error)", remedy: .signIn(remote: remote))
    }
  }
}
