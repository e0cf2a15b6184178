public import SettingsRegistry

/// Everything a pass over one remote works with.
public struct PassParts: Sendable {
  /// The remote's name in the settings.
  public var name: String
  /// The store.
  public var local: any Replica
  /// The remote.
  public var remote: any Replica
  /// The archive of the store.
  public var archive: any Archive
  /// Merges conflicts.
  public var merger: any ContentMerger
  /// The device that runs the pass.
  public var device: Device
  /// The clock, the random numbers and the sleep of the pass.
  public var runtime: Runtime
  /// The options of the pass.
  public var options: PassOptions
  /// Called as the pass advances, and once at its end.
  public var progress: @Sendable (Progress) -> Void

  public init(
    name: String, local: any Replica, remote: any Replica, archive: any Archive, merger: any ContentMerger,
    device: Device, runtime: Runtime = .real, options: PassOptions = PassOptions(),
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) {
    self.name = name
    self.local = local
    self.remote = remote
    self.archive = archive
    self.merger = merger
    self.device = device
    self.runtime = runtime
    self.options = options
    self.progress = progress
  }

  subscript(side: Side) -> any Replica { side == .local ? local : remote }

  /// What a version of this side is attributed to where its author is not known.
  func author(_ side: Side) -> String { side == .local ? device.name : name }
}

/// What the settings say about passes.
public struct PassOptions: Sendable {
  /// Selects the paths that are synced.
  public var filter: PathFilter
  /// How conflicts are resolved.
  public var conflicts: ConflictPolicy
  /// How many deletions a pass may make without being asked for; fewer than five are held only if no file would be left.
  public var deletions: Share
  /// Only decide; nothing is changed on any side, nor in the archive.
  public var isDryRun: Bool
  /// How many actions a report lists; the counts are always of all.
  public var actionLimit: Int
  /// How an action's detail describes an error to a person. Default: by its message; a program adds how to apply the remedy.
  public var describe: @Sendable (SyncError) -> String

  public init(
    filter: PathFilter = PathFilter(), conflicts: ConflictPolicy = .merge, deletions: Share = .percent(25),
    isDryRun: Bool = false, actionLimit: Int = .max, describe: @escaping @Sendable (SyncError) -> String = \.message
  ) {
    self.filter = filter
    self.conflicts = conflicts
    self.deletions = deletions
    self.isDryRun = isDryRun
    self.actionLimit = actionLimit
    self.describe = describe
  }
}

/// What becomes of a file that both sides changed. Whatever the policy, no version is lost: the other one is in history
/// or beside the file.
public enum ConflictPolicy: String, Sendable, CaseIterable, SettingValue {
  case merge
  case keepBoth = "keep-both"
  case preferLocal = "prefer-local"
  case preferRemote = "prefer-remote"
}
