public import SyncKit

/// The table `[syncd]` with the settings of the program itself.
public struct DaemonSettings: PluginSettings {
  @Setting("State folder: base, history and lock. Default: syncd in $XDG_STATE_HOME, else in ~/.local/state.")
  public var state: SettingPath?
  @Setting("Name of this device in conflict copies, git commits and `syncd status`. Default: the host name.")
  public var device: DeviceName?
  @Setting("As a service: check every remote at least this often.")
  public var interval: Duration = .seconds(300)
  @Setting("As a service: sync once files have not changed for this long.")
  public var quiet: Duration = .milliseconds(500)
  @Setting("As a service: sync changed files after this long at the latest.")
  public var maxDelay: Duration = .seconds(10)
  @Setting(
    "Hold deletions if a pass would delete more than this, a number or a percentage of the files; fewer than 5 are held only if this is 0, if none of two or more files would be left, or if the only file would be empty."
  )
  public var maxDelete: Share = .percent(25)
  @Setting(
    "Keep replaced and deleted versions for this long; the last 3 of each file and those of the last 7 days always stay."
  )
  public var history: Duration = .seconds(90 * 86_400)
  @Setting("Maximum number of previous versions of a file, at least 3.", .range(3...1_000_000))
  public var historyVersions: Int?
  @Setting("Maximum size of all previous versions; the oldest are removed first.")
  public var historySize: ByteSize?
  @Setting("Keep one previous version a day after the first week, and one a week after 30 days.")
  public var historyStaggered = false
  @Setting("What to do with a file that both sides changed.")
  public var conflicts: ConflictPolicy = .merge
  @Setting(
    "Policies for some of these files, each as a git-style pattern, an arrow and a policy; the last matching one decides."
  )
  public var conflictRules: [ConflictRule] = []
  @Setting("Maximum rate of all transfers, in bytes a second with a unit, or a timetable of rates.")
  public var bandwidth: Bandwidth?
  @Setting(
    "As a service: sync only while this machine is not on its battery (mains), and while the network is not metered (unmetered)."
  )
  public var onlyOn: [SyncCondition] = []
  @Setting("As a service: do not sync in these hours.")
  public var quietHours: [ClockSpan] = []
  @Setting("Log level.")
  public var logLevel: LogLevel = .info
  @Setting("Log format.")
  public var logFormat: LogFormat = .text
  @Setting("Audit log: append one line of JSON for each changed file to this file.")
  public var auditLog: SettingPath?
  @Setting("Metrics file for the node exporter of Prometheus; the name must end in .prom.")
  public var metrics: SettingPath?
  @Setting("As a service: loopback port on which Prometheus can read the metrics.")
  public var metricsPort: LoopbackAddress?
  @Setting("As a service: show conflicts, held deletions and lasting errors on the desktop.")
  public var notify = true
  @Setting("As a service: warn if a remote has not been in sync for this long.")
  public var staleAfter: Duration = .seconds(86_400)
  @Setting("Program that sends mail for [[on]], with the options of sendmail.")
  public var sendmail = SettingPath("/usr/sbin/sendmail")

  public init() {}
}

extension DaemonSettings {
  /// The conflict policies for all remotes.
  package var conflictPolicies: ConflictPolicies { ConflictPolicies(conflicts, rules: conflictRules) }
}

/// The level of detail of the log.
public enum LogLevel: String, Sendable, CaseIterable, SettingValue {
  case error, warning, notice, info, debug, trace
}

/// The format of the log's lines.
public enum LogFormat: String, Sendable, CaseIterable, SettingValue {
  case text, json
}

/// A table `[store]` or `[stores.NAME]` with the location of the user's files. The selected plugin's settings are in the same table.
public struct StoreSettings: PluginSettings {
  @Setting("Storage backend of the files.")
  public var backend = "org-files"
  @Setting("Files to sync, as git-style patterns.")
  public var include: [Glob] = ["**/*"]
  @Setting("Files and folders to exclude, as git-style patterns; the last matching pattern decides.")
  public var exclude: [Glob] = []
  @Setting("File in the store to which `syncd capture` adds entries.")
  public var inbox = "inbox.org"

  public init() {}
}

/// A table `[remotes.NAME]`: a remote to sync a store with.
public struct RemoteSettings: PluginSettings {
  @Setting(
    "Store to sync, if there are several: its name in [stores], or store for [store]. Default: [store], or the only store."
  )
  public var store: String?
  @Setting("Sync backend.")
  public var sync = "plain-files"
  @Setting("Cloud storage, for a sync backend that uses one.")
  public var cloud: String?
  @Setting("Encryption of the files on the remote.")
  public var encryption = "none"
  @Setting(
    "Changes that pass: both directions, only to the remote (send), only to the store (receive), or all except deletions (no-delete).",
    .shareable
  )
  public var mode: RemoteMode = .both
  @Setting("Files to sync with this remote, of those that the store syncs, as git-style patterns.", .shareable)
  public var include: [Glob] = ["**/*"]
  @Setting(
    "Files and folders not to sync with this remote, as git-style patterns; the last matching pattern decides. Copies there stay.",
    .shareable
  )
  public var exclude: [Glob] = []
  @Setting("What to do with a file that both sides changed. Default: as in [syncd].")
  public var conflicts: ConflictPolicy?
  @Setting("Policies for some of these files, in addition to those of [syncd]; the last matching one decides.")
  public var conflictRules: [ConflictRule] = []
  @Setting("Maximum rate of transfers of this remote, in addition to that of [syncd].")
  public var bandwidth: Bandwidth?
  @Setting("As a service: when to sync this remote. Default: as in [syncd].")
  public var onlyOn: [SyncCondition]?
  @Setting("As a service: hours without syncs of this remote. Default: as in [syncd].")
  public var quietHours: [ClockSpan]?
  @Setting(
    "Subtrees to sync with this remote, as a match of tags, properties and states such as +mobile-private; by default, whole files.",
    .shareable
  )
  public var match: String?

  public init() {}
}
