public import SSHConnection
public import SyncKit

public let plugins: [any Plugin.Type] = [SFTP.self]

/// A folder on a host that offers sftp: no shell and no program is needed there.
public struct SFTP: CloudStorage {
  public static let id = "sftp"
  public static let summary = "Keeps files in a folder of a host with sftp: a storage box, a NAS, web space."
  public static var failpoints: [Failpoint] { SFTPFailpoint.all }

  public struct Settings: PluginSettings {
    @Setting("Host name or address, or a host alias from `~/.ssh/config`.", .shareable) public var host: String
    @Setting("Folder on the host; relative paths start in the account's home folder.", .shareable) public var path:
      String
    @Setting("User name on the host. Default: as in ssh.", .shareable) public var user: String? = nil
    @Setting("Port of the server. Default: as in ssh.", .shareable, .range(1...65_535)) public var port: Int? = nil
    /// The connection to the host.
    public var ssh = SSHSettings()
    @Setting("Write to a server that cannot move files without overwriting others; concurrent edits can be lost.")
    public var unsafeWrites = false
    @Setting("Maximum number of files and folders in a listing.", .shareable, .range(1...10_000_000)) public
      var maxFiles = ListingLimit.defaultMaximum
    @Setting("Stall timeout: abort a request after this long without progress.") public var timeout = Duration.seconds(
      60)

    public init() {}

    public var contradictions: [String] {
      (SSHHost.isName(host) ? [] : ["`host` is not a host name"])
        + (user.map(SSHHost.isName) ?? true ? [] : ["`user` is not a user name"])
        + (path.isEmpty || path.utf8.contains { $0 < 0x20 || $0 == 0x7F }
          ? ["`path` must not be empty or contain control characters"] : [])
    }
  }

  private let settings: Settings
  private let context: PluginContext

  public init(_ settings: Settings, _ context: PluginContext) {
    self.settings = settings
    self.context = context
  }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Storage {
    guard let host = SSHHost(settings.host, user: settings.user, port: settings.port) else {
      throw SyncError(.invalidSettings, "`host` or `user` of the remote \(parts.name) is not a name")
    }
    let client = try await SSHClient(
      to: host, settings.ssh, timeout: settings.timeout, environment: context.environment.variables)
    let folder = RemoteFolder(host: host, path: settings.path)
    return SFTPStorage(
      Server(folder, by: client, timeout: settings.timeout), parts: parts, settings: settings)
  }
}
