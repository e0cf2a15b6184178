internal import RsyncWire
public import SSHConnection
public import SyncKit

public let plugins: [any Plugin.Type] = [RsyncSSH.self, RsyncSSHCloud.self]

/// Syncs the store with a folder on any host that has sshd and rsync; syncd is not needed there.
public struct RsyncSSH: SyncBackend {
  public static let id = "rsync-ssh"
  public static let summary = "Keeps the files in a folder on a remote host that runs sshd and rsync."
  public static let usesStorage = false
  public static var failpoints: [Failpoint] { RsyncFailpoint.all }

  public struct Settings: PluginSettings {
    @Setting("Host name or address, or a host alias from `~/.ssh/config`.", .shareable) public var host: String
    @Setting("Folder on the remote host; relative paths start in the home folder.", .shareable) public var path: String
    @Setting("User name on the remote host. Default: as in ssh.", .shareable) public var user: String? = nil
    @Setting("Port of sshd. Default: as in ssh.", .shareable, .range(1...65_535)) public var port: Int? = nil
    /// The connection to the host.
    public var ssh = SSHSettings()
    @Setting("The rsync program on the remote host.") public var rsyncPath = "rsync"
    @Setting(
      "Never replace or remove a version that syncd has not seen: move the old file aside first. Needs sftp. The file is missing for a moment, or until the next run if the server fails in that moment."
    )
    public var exclusive = false
    @Setting("Maximum number of files and folders in a listing.", .shareable, .range(1...10_000_000)) public
      var maxFiles = ListingLimit.defaultMaximum
    @Setting("Stall timeout: abort a transfer after this long without progress.") public var timeout = Duration.seconds(
      60)

    public init() {}

    public var contradictions: [String] {
      (SSHHost.isName(host) ? [] : ["`host` is not a host name"])
        + (user.map(SSHHost.isName) ?? true ? [] : ["`user` is not a user name"])
        + (path.isEmpty || path.utf8.contains { $0 < 0x20 || $0 == 0x7F }
          ? ["`path` must not be empty or contain control characters"] : [])
        + (rsyncPath.isEmpty || rsyncPath.utf8.contains { $0 < 0x20 || $0 == 0x7F } || rsyncPath.hasPrefix("-")
          ? ["`rsync-path` must name a program"] : [])
    }
  }

  let settings: Settings
  let context: PluginContext
  /// The maximum size of a file in bytes.
  var largestFile = 1 << 30

  public init(_ settings: Settings, _ context: PluginContext) {
    self.settings = settings
    self.context = context
  }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Replica {
    StorageReplica(try await storage(parts).limited(to: parts.traffic, runtime: parts.runtime), parts)
  }

  /// The folder as a storage.
  func storage(_ parts: RemoteParts) async throws(SyncError) -> RsyncStorage {
    guard let host = SSHHost(settings.host, user: settings.user, port: settings.port) else {
      throw SyncError(.invalidSettings, "`host` or `user` of the remote \(parts.name) is not a name")
    }
    let client = try await SSHClient(
      to: host, settings.ssh, timeout: settings.timeout, environment: context.environment.variables)
    let folder = RemoteFolder(host: host, path: settings.path, program: settings.rsyncPath)
    let remote = RemoteHost(
      folder, by: client, RsyncLimits(entries: settings.maxFiles, file: largestFile), parts.runtime)
    return RsyncStorage(remote, parts, isExclusive: settings.exclusive)
  }
}
