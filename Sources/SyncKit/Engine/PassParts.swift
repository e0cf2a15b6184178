public import SettingsRegistry

/// The components of a pass over one remote.
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
  /// The whole files behind `local` if it is a view of the store, which keeps the versions that it replaces in the history
  /// itself; nil if `local` has whole files.
  public var wholeFiles: WholeFiles?
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

  /// Returns the author of a side's versions if it is unknown.
  func author(_ side: Side) -> String { side == .local ? device.name : name }
}

/// The options of a pass, from the settings.
public struct PassOptions: Sendable {
  /// Selects the paths that are synced.
  public var filter: PathFilter
  /// How conflicts are resolved.
  public var conflicts: ConflictPolicies
  /// The maximum number of deletions without approval; fewer than five are held only if it is 0, if none of two or more
  /// files would be left, or if the only file would be empty.
  public var deletions: Share
  /// Which changes pass between both sides.
  public var mode: RemoteMode
  /// The only changes to make, which a user has reviewed; nil for all.
  public var onlyChanges: Set<PlannedChange>?
  /// Deletions that need no further approval.
  public var approved: Set<HeldItem> = []
  /// Only decides; changes nothing on either side or in the archive.
  public var isDryRun: Bool
  /// The maximum number of actions in a report; the counts always include all.
  public var actionLimit: Int
  /// Describes an error for people in an action's detail. Default: its message; a program adds how to apply the remedy.
  public var describe: @Sendable (SyncError) -> String

  public init(
    filter: PathFilter = PathFilter(), conflicts: ConflictPolicy = .merge, deletions: Share = .percent(25),
    mode: RemoteMode = .both, isDryRun: Bool = false, actionLimit: Int = .max,
    describe: @escaping @Sendable (SyncError) -> String = \.message
  ) {
    self.filter = filter
    self.conflicts = ConflictPolicies(conflicts)
    self.deletions = deletions
    self.mode = mode
    self.isDryRun = isDryRun
    self.actionLimit = actionLimit
    self.describe = describe
  }
}
