public import SyncKit

/// The ssh settings of a plugin: a group that the plugin's settings include.
public struct SSHSettings: PluginSettings {
  @Setting("Route to the host: `libssh2`, `ssh-command` (your own ssh), or `auto`: libssh2 unless only ssh gets there.")
  public var transport = Transport.auto
  @Setting("Program that runs ssh, with its first arguments, for the transport `ssh-command`.")
  public var sshCommand = ["ssh"]
  @Setting("Private key file; by default the keys that ssh would use.", .privateFile) public var identityFile:
    SettingPath? = nil
  @Setting("Known hosts file; by default the files that ssh would use.") public var knownHosts: SettingPath? = nil
  @Setting("Passphrase of the private key, if it has one and no agent holds the key.")
  public var passphrase: Secret? = nil

  /// The default settings.
  public init() {}

  /// Rejects an empty `ssh-command`.
  public var contradictions: [String] {
    sshCommand.first?.isEmpty ?? true ? ["`ssh-command` must name a program"] : []
  }

  /// The implementation that connects to the host.
  public enum Transport: String, CaseIterable, SettingValue {
    /// libssh2, or the user's own ssh if only that can connect.
    case auto
    /// libssh2, in this process.
    case libssh2
    /// The program of ``SSHSettings/sshCommand``.
    case sshCommand = "ssh-command"
  }
}
