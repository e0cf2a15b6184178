internal import RsyncWire
internal import SSHConnection
public import SyncKit

public let plugins: [any Plugin.Type] = [RsyncSSH.self]

/// Mirrors the store with a folder on any machine that has sshd and rsync, and nothing of ours.
public struct RsyncSSH: SyncBackend {
  public static let id = "rsync-ssh"
  public static let summary = "Keeps the files in a folder on a remote host that runs sshd and rsync."
  public static let usesStorage = false
  public static var failpoints: [Failpoint] { RsyncFailpoint.all }

  public struct Settings: PluginSettings {
    @Setting("Host name or address, or a host alias from `~/.ssh/config`.") public var host: String
    @Setting("Folder on the remote host; relative paths start in the home folder.") public var path: String
    @Setting("User name on the remote host. Default: as in ssh.") public var user: String? = nil
    @Setting("Port of sshd. Default: as in ssh.", .range(1...65_535)) public var port: Int? = nil
    @Setting("Private key file. Default: as in ssh.")
    public var identityFile: SettingPath? = nil
    @Setting("Known hosts file. Default: as in ssh.") public var knownHosts: SettingPath? = nil
    @Setting("Passphrase of the private key, if it has one and no agent holds the key.") public var passphrase:
      Secret? =
        nil
    @Setting("How to connect: `libssh2`, `ssh-command` (your ssh program), or `auto` (libssh2 where it can, else ssh).")
    public var transport = TransportChoice.auto
    @Setting("The ssh program and its first arguments, for `transport = \"ssh-command\"`.")
    public var sshCommand = ["ssh"]
    @Setting("The rsync program on the remote host.") public var rsyncPath = "rsync"
    @Setting(
      "Never replace or remove a version that syncd has not seen: move the old file aside first. Needs sftp. The file is missing for a moment, or until the next run if the server fails in that moment."
    )
    public var exclusive = false
    @Setting("Maximum number of files and folders in a listing.", .range(1...10_000_000)) public var maxFiles = 200_000
    @Setting("Stall timeout: abort a transfer after this long without progress.") public var timeout = Duration.seconds(
      60)

    public init() {}

    public var contradictions: [String] {
      (Self.isNoHost(host) ? ["`host` is not a valid host name"] : [])
        + (user.map(Self.isNoHost) == true ? ["`user` is not a valid user name"] : [])
        + (path.isEmpty || path.utf8.contains { $0 < 0x20 || $0 == 0x7F }
          ? ["`path` must not be empty or contain control characters"] : [])
        + (sshCommand.first?.isEmpty ?? true ? ["`ssh-command` must name a program"] : [])
        + (rsyncPath.isEmpty || rsyncPath.utf8.contains { $0 < 0x20 || $0 == 0x7F } || rsyncPath.hasPrefix("-")
          ? ["`rsync-path` must name a program"] : [])
    }

    /// What begins with a dash would be an option to ssh (CVE-2017-1000117).
    private static func isNoHost(_ name: String) -> Bool {
      name.isEmpty || name.hasPrefix("-") || name.utf8.contains { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "@") }
    }
  }

  /// Who makes the connection.
  public enum TransportChoice: String, CaseIterable, SettingValue {
    case auto, libssh2
    case sshCommand = "ssh-command"
  }

  let settings: Settings
  let context: PluginContext
  /// How many bytes a file may have.
  var largestFile = 1 << 30

  public init(_ settings: Settings, _ context: PluginContext) {
    self.settings = settings
    self.context = context
  }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Replica {
    StorageReplica(try await storage(parts), parts)
  }

  /// The folder as a storage.
  func storage(_ parts: RemoteParts) async throws(SyncError) -> RsyncStorage {
    let place = Place(
      host: settings.host, user: settings.user, port: settings.port, path: settings.path, program: settings.rsyncPath)
    let limits = RsyncLimits(entries: settings.maxFiles, file: largestFile)
    let far = FarSide(place, by: try await transport(to: place), limits, parts.world)
    return RsyncStorage(far, parts, isExclusive: settings.exclusive)
  }

  private func transport(to place: Place) async throws(SyncError) -> any Transport {
    var command = ProgramTransport(
      command: settings.sshCommand, place: place, identity: settings.identityFile?.path,
      knownHosts: settings.knownHosts?.path, variables: variables, patience: settings.timeout)
    guard settings.transport != .sshCommand else { return command }
    let wish = SSHDestination.Wish(
      host: settings.host, user: settings.user, port: settings.port, identity: settings.identityFile?.path,
      knownHosts: settings.knownHosts?.path)
    let destination = SSHDestination(wish, context.environment.variables)
    if settings.transport == .auto {
      // A program that the settings name takes precedence.
      command.reason = settings.sshCommand == ["ssh"] ? destination.objection : "the settings choose it"
      if command.reason != nil { return command }
    }
    let library = LibraryTransport(
      session: KeptSession(to: destination, passphrase: try await passphrase(), patience: settings.timeout))
    return settings.transport == .auto ? AutomaticTransport(library, or: command) : library
  }

  private func passphrase() async throws(SyncError) -> String? {
    guard let secret = settings.passphrase else { return nil }
    do { return try await secret.reveal() } catch {
      throw SyncError(.unauthorized, "cannot read the `passphrase` of the key for \(settings.host): \(error)")
    }
  }

  /// The environment of ssh: no prompts, and messages in English.
  private var variables: [String: String] {
    context.environment.variables.filter { $0.key != "SSH_ASKPASS" && !$0.key.hasPrefix("GIT_") }
      .merging(["LC_ALL": "C", "LANGUAGE": ""]) { $1 }
  }
}
