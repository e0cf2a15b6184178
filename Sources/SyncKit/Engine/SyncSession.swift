public import SettingsRegistry

/// Syncs one store with its remotes, for programs of any kind: without a settings file, exit statuses or signals.
///
/// ```swift
/// let session = SyncSession(
///   archive: archive, merger: OrgMerger(), device: Device(id: "kx3v9q0r2m1n", name: "laptop"),
///   store: { parts in try await OrgFiles(path: "/home/ann/org").open(parts) },
///   remotes: [
///     .init("stick") { parts in StorageReplica(try await Folder(path: "/media/stick/org").open(parts), parts) }
///   ])
/// for report in await session.run() { print(report.remote, report.result) }
/// ```
///
/// A session changes nothing before `run`. One session at a time may work on a store, and one on an archive: a program that
/// can be started twice takes a lock. To stop a run, cancel its task: a pass stops after the change that it is making, what
/// it has recorded stays, and the next run continues from there.
public struct SyncSession: Sendable {
  /// Opens a replica with what belongs to it: its journal, the archive's contents, the device, the clock.
  public typealias Opening = @Sendable (RemoteParts) async throws(SyncError) -> any Replica

  /// One of the remotes that the store is synced with.
  public struct Remote: Sendable {
    /// The remote's name in the archive. Another name is another remote.
    public let name: String
    /// Which changes pass between the store and the remote.
    public let mode: RemoteMode
    /// Patterns in git's syntax of the files to sync with this remote; empty: all.
    public var include: [String] = []
    /// Patterns in git's syntax of the files not to sync with this remote. They cannot include what the store's patterns
    /// exclude.
    public var exclude: [String] = []
    /// What to do with files that both sides changed, instead of what the options say; nil: as they say.
    public var conflicts: ConflictPolicy?
    /// Policies for some files of this remote; the last rule that matches a file decides.
    public var conflictRules: [ConflictRule] = []
    /// The only changes to make, as a dry run has planned them (`PassReport.planned`); nil for all.
    public var onlyChanges: Set<PlannedChange>?
    /// Deletions that need no further approval.
    public var approved: Set<HeldItem> = []
    /// The part of the store that is synced with this remote; nil: whole files.
    public var view: StoreView?
    let open: Opening

    /// - Parameters:
    ///   - mode: which changes pass between the store and the remote.
    ///   - open: returns the remote as a replica; called in each run. What it throws becomes the remote's report, and the other
    ///     remotes are synced all the same.
    public init(_ name: String, mode: RemoteMode = .both, open: @escaping Opening) {
      self.name = name
      self.mode = mode
      self.open = open
    }
  }

  /// How to sync.
  public struct Options: Sendable {
    /// Patterns in git's syntax of the files to sync; empty: all.
    public var include: [String] = []
    /// Patterns in git's syntax of the files to ignore, in addition to `DefaultIgnores`. The store's own `.syncdignore` comes
    /// last, and the last pattern that matches a file decides.
    public var exclude: [String] = []
    /// What to do with a file that both sides changed and no merge can unite.
    public var conflicts = ConflictPolicies()
    /// The largest share of the files that one pass may delete without approval; fewer than five are held only if it is 0, if
    /// none of two or more files would be left, or if the only file would be empty.
    public var deletions: Share = .percent(25)
    /// Only report what would be done.
    public var isDryRun = false
    /// The largest number of actions in a report. Its counts include all of them.
    public var actionLimit = Int.max
    /// Describes an error to a person, in the detail of an action. By default its message; `SyncError.remedy` says what to do.
    public var describe: @Sendable (SyncError) -> String = \.message
    /// Waits for what only a later pass can decide, such as a file that is being written, until it is decided or the time
    /// limit is reached.
    public var waits = false
    /// The longest duration of a run; nil: until it is done.
    public var timeLimit: Duration?

    public init() {}
  }

  /// A part of a store that one remote is synced with, such as the subtrees that match.
  public struct StoreView: Sendable {
    /// Patterns in git's syntax of the files that can have such a part; others are not synced with the remote.
    public var include: [String]
    /// Returns the view of a store, for the remote with these parts. It keeps the versions of whole files that it replaces in
    /// `RemoteParts.contents`, and records in `WholeFiles` what it reads and replaces.
    public var present: @Sendable (any Replica, WholeFiles, RemoteParts) -> any Replica

    public init(include: [String], present: @escaping @Sendable (any Replica, WholeFiles, RemoteParts) -> any Replica) {
      self.include = include
      self.present = present
    }
  }

  private let archive: any Archive
  private let merger: any ContentMerger
  private let device: Device
  private let runtime: Runtime
  private let options: Options
  private let openStore: Opening
  private let remotes: [Remote]

  /// - Parameters:
  ///   - archive: remembers what both sides agreed on, and holds each version before it is replaced. `SQLiteArchive` is one.
  ///   - merger: merges files that both sides changed. `OrgMerger` is one.
  ///   - device: this device, with an id that no other device has and that never changes.
  ///   - options: how to sync.
  ///   - store: opens the store; called in each run.
  ///   - remotes: The remotes to sync with.
  public init(
    archive: any Archive, merger: any ContentMerger, device: Device, runtime: Runtime = .real,
    options: Options = Options(),
    store: @escaping Opening, remotes: [Remote]
  ) {
    self.archive = archive
    self.merger = merger
    self.device = device
    self.runtime = runtime
    self.options = options
    self.openStore = store
    self.remotes = remotes
  }

  /// Runs passes over the remotes until none has anything left to do.
  ///
  /// - Parameter progress: called as passes advance, and with the stage `ended` at the end of each pass.
  /// - Returns: one report for each remote, in their order. What went wrong is in the reports.
  public func run(progress: @escaping @Sendable (Progress) -> Void = { _ in }) async -> [PassReport] {
    do throws(SyncError) {
      let store = SharedReplica(try await openStore(parts("store")))
      let filter = try await PathFilter(of: store, include: options.include, exclude: options.exclude)
      return await pass(over: store, filter, progress)
    } catch {
      return remotes.map { PassReport(remote: $0.name, failure: error) }
    }
  }

  private func pass(
    over store: any Replica, _ filter: PathFilter, _ progress: @escaping @Sendable (Progress) -> Void
  ) async -> [PassReport] {
    var passes: [PassParts] = []
    var reports: [String: PassReport] = [:]
    for remote in remotes {
      do throws(SyncError) {
        let parts = parts(remote.name)
        var pass = PassParts(
          name: remote.name, local: store, remote: try await remote.open(parts), archive: archive, merger: merger,
          device: device, runtime: runtime, options: passOptions(filter, remote), progress: progress)
        if let view = remote.view {
          let files = WholeFiles()
          pass.local = view.present(store, files, parts)
          pass.wholeFiles = files
        }
        passes.append(pass)
      } catch { reports[remote.name] = PassReport(remote: remote.name, failure: error) }
    }
    for report in await run(SyncRun(passes, waits: options.waits)) { reports[report.remote] = report }
    return remotes.compactMap { reports[$0.name] }
  }

  private func parts(_ name: String) -> RemoteParts {
    RemoteParts(name: name, device: device, runtime: runtime, contents: archive, journal: archive.journal(of: name))
  }

  private func passOptions(_ filter: PathFilter, _ remote: Remote) -> PassOptions {
    var pass = PassOptions(
      filter: filter.narrowed(include: remote.include, ignore: remote.exclude)
        .narrowed(include: remote.view?.include ?? [], ignore: []),
      deletions: options.deletions, mode: remote.mode,
      isDryRun: options.isDryRun, actionLimit: options.actionLimit, describe: options.describe)
    pass.conflicts = options.conflicts.with(remote.conflicts, rules: remote.conflictRules)
    (pass.onlyChanges, pass.approved) = (remote.onlyChanges, remote.approved)
    return pass
  }

  /// Cancels the passes at the time limit.
  private func run(_ run: SyncRun) async -> [PassReport] {
    guard let limit = options.timeLimit else { return await run.run() }
    return await withTaskGroup(of: [PassReport]?.self) { group in
      group.addTask { await run.run() }
      group.addTask { [runtime] in
        // A run that ends earlier cancels this wait.
        try? await runtime.sleep(limit)
        return nil
      }
      var reports: [PassReport] = []
      for await ended in group {
        group.cancelAll()
        if let ended { reports = ended }
      }
      return reports
    }
  }
}
