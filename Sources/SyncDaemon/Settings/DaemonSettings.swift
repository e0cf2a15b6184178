public import SyncKit

/// The table `[syncd]`: the program itself.
public struct DaemonSettings: PluginSettings {
  @Setting("Folder for what must be remembered; by default syncd in $XDG_STATE_HOME, else in ~/.local/state.")
  public var state: SettingPath?
  @Setting("Look again at least this often when running as a service.")
  public var interval: Duration = .seconds(300)
  @Setting("Wait until files have been still for this long.")
  public var quiet: Duration = .milliseconds(500)
  @Setting("Wait no longer than this for files to be still.")
  public var maxDelay: Duration = .seconds(10)
  @Setting("Hold a pass that would delete more than this, a count or a percentage of the files; never under 5 files.")
  public var maxDelete: Share = .percent(25)
  @Setting("Keep replaced and deleted versions for this long, always the last 3 of a file, and all for 7 days.")
  public var history: Duration = .seconds(90 * 86_400)
  @Setting("What becomes of a file that both sides changed.")
  public var conflicts: ConflictPolicy = .merge
  @Setting("How much the log tells.")
  public var logLevel: LogLevel = .info
  @Setting("How a line of the log looks.")
  public var logFormat: LogFormat = .text
  @Setting("File to which a line of JSON is added for each of your files that was changed.")
  public var auditLog: SettingPath?
  @Setting("File for figures that the node exporter of Prometheus reads; its name has to end in .prom.")
  public var metrics: SettingPath?
  @Setting("Port on which Prometheus can ask this machine, and nobody else can, for the same figures of the service.")
  public var metricsPort: LoopbackAddress?
  @Setting("Show conflicts, what is held and lasting trouble on the desktop when running as a service.")
  public var notify = true
  @Setting("Warn when a remote has not been in sync for this long.")
  public var staleAfter: Duration = .seconds(86_400)

  public init() {}
}

/// How much the log tells.
public enum LogLevel: String, Sendable, CaseIterable, SettingValue {
  case error, warning, notice, info, debug, trace
}

/// How a line of the log looks.
public enum LogFormat: String, Sendable, CaseIterable, SettingValue {
  case text, json
}

/// The table `[store]`: where the user's files live. The chosen plugin's settings stand in the same table.
public struct StoreSettings: PluginSettings {
  @Setting("How the files are stored.")
  public var backend = "org-files"
  @Setting("Files that take part, as patterns in git's syntax.")
  public var include: [Glob] = ["**/*"]
  @Setting("Files and folders that do not take part, as patterns in git's syntax; the last one that matches decides.")
  public var exclude: [Glob] = []
  @Setting("The file of the store to which `syncd capture` adds entries.")
  public var inbox = "inbox.org"

  public init() {}
}

/// A table `[remotes.NAME]`: what the store is mirrored with, and how.
public struct RemoteSettings: PluginSettings {
  @Setting("How to sync.")
  public var sync = "plain-files"
  @Setting("The place that the sync backend stages through.")
  public var cloud: String?
  @Setting("How files are sealed before they leave this machine.")
  public var encryption = "none"

  public init() {}
}
