package import ArchiveSQLite
package import OrgKit
import OrgMerging
package import SyncKit

/// The context of a command: the settings, the state folder with its archive, and the functions that open the plugins.
package struct Workspace: Sendable {
  /// The access of a command.
  package enum Access: Sendable {
    /// Read only: nothing changes, not even a counter.
    case readOnly
    /// Change the store, the remotes and the state, as the only instance; a service yields.
    case exclusive
    /// The same for the service itself.
    case serving
    /// The same as `exclusive`, but another instance is not asked to yield: opening throws `.locked`.
    case exclusiveNow
  }

  package let configuration: DaemonConfiguration
  package let access: Access
  /// True if a service has yielded to this command, and continues after it.
  package let isGuest: Bool
  package let state: StateFolder
  package let device: Device
  package let archive: any VerifiableArchive
  /// The same archive if it may be written to.
  let writable: SQLiteArchive?
  package let history: History
  /// The store if the service of this process has it open.
  var openedStore: (any Replica)?

  package var stack: Stack {
    Stack(
      configuration: configuration, archive: archive, device: device, logger: Log.logger(configuration),
      isReadOnly: access == .readOnly, openedStore: openedStore)
  }

  /// Returns this workspace for another part of the process: with the open store, and a pass of its own in the history.
  func shared(_ store: any Replica) async throws(SyncError) -> Workspace {
    let archive = try await writable?.withOwnRun()
    return Workspace(
      configuration: configuration, access: access, isGuest: isGuest, state: state, device: device,
      archive: archive ?? self.archive, writable: archive, history: history, openedStore: store)
  }

  /// Returns the recorder of passes and their metrics.
  package func recorder(_ exporter: Exporter) -> PassRecorder {
    // The service's counters would seem to restart.
    PassRecorder(configuration, state, device, isGuest ? nil : exporter)
  }

  /// Returns the outlet for the events of passes.
  package func eventOutlet(_ workers: EventWorkers) -> EventOutlet { EventOutlet(configuration, state, workers) }

  /// Opens what `access` requires, and closes it after `body`.
  package static func with<Value: Sendable>(
    _ configuration: DaemonConfiguration, _ access: Access, _ body: (Workspace) async throws -> Value
  ) async throws -> Value {
    switch access {
    case .readOnly: try await body(readOnly(configuration))
    case .exclusive, .serving, .exclusiveNow: try await withLock(configuration, access, body)
    }
  }

  private static func readOnly(_ configuration: DaemonConfiguration) throws(SyncError) -> Workspace {
    let state = StateFolder(path: configuration.stateFolder)
    try state.refuseUnreadable()
    try state.refuseOtherStore(than: configuration)
    let archive = try ReadOnlyArchive(in: state.path)
    return Workspace(
      configuration: configuration, access: .readOnly, isGuest: false, state: state,
      device: state.device(named: configuration.daemon.device)
        ?? Device(id: "none", name: configuration.daemon.device?.text ?? StateFolder.hostName), archive: archive,
      writable: nil, history: archive.history)
  }

  private static func withLock<Value: Sendable>(
    _ configuration: DaemonConfiguration, _ access: Access, _ body: (Workspace) async throws -> Value
  ) async throws -> Value {
    let state = StateFolder(path: configuration.stateFolder)
    try state.create()
    try state.refuseOtherStore(than: configuration)
    let lease = try Lease(state, store: configuration.store, waits: access == .exclusive)
    try state.recordOwner(configuration)
    let (archive, notice) = try open(state)
    if let notice { Console.error("syncd: \(notice)") }
    if try await archive.finishPurge() { Console.error("syncd: completed an interrupted `syncd history purge`") }
    let workspace = Workspace(
      configuration: configuration, access: access, isGuest: lease.isGuest, state: state,
      device: try state.makeDevice(named: configuration.daemon.device), archive: archive, writable: archive,
      history: archive.history)
    try await ItemIntent.complete(workspace)
    let value: Result<Value, any Error>
    do { value = .success(try await body(workspace)) } catch { value = .failure(error) }
    try await workspace.prune()
    try await archive.close()
    return try withExtendedLifetime(lease) { try value.get() }
  }

  /// Opens the archive. A damaged one is moved aside, never removed, and everything is synced as on the first pass, which
  /// deletes nothing.
  private static func open(_ state: StateFolder) throws(SyncError) -> (SQLiteArchive, String?) {
    switch try SQLiteArchive.open(in: state.path) {
    case .opened(let archive): return (archive, nil)
    case .rolledBack(let archive):
      return (
        archive,
        "the state folder is older than before, as after a restore from a backup; this run merges both sides and deletes nothing"
      )
    case .newer(let error): throw error
    case .damaged(let error):
      let place = try SQLiteArchive.setAside(in: state.path)
      return (
        try SQLiteArchive.open(in: state.path).get(),
        "\(error.message); it was moved to \(place). This run merges both sides and deletes nothing"
      )
    }
  }

  /// Removes the history that the settings do not keep, once a day.
  func prune() async throws(SyncError) { _ = try await writable?.prune(retention, needsBase: needsBase) }

  /// Removes the history that the settings do not keep, now; in a read-only workspace, only returns what that would be.
  package func pruneHistory() async throws(SyncError) -> PrunedHistory {
    let pruned = try await writable?.prune(retention, isForced: true, needsBase: needsBase)
    if let pruned { return pruned }
    return try await history.prunable(retention, needsBase: needsBase)
  }

  private var retention: Retention {
    let settings = configuration.daemon
    return Retention(
      age: settings.history, versions: settings.historyVersions, bytes: settings.historySize?.bytes,
      isStaggered: settings.historyStaggered)
  }

  private var needsBase: @Sendable (SyncPath, Int) -> Bool { { [merger = merger([])] in merger.merges($0, size: $1) } }

  /// Returns the merger with the keywords of all desktops behind the remotes.
  package func merger() async throws(SyncError) -> any ContentMerger {
    merger(try await desktops().flatMap(\.setup.todo))
  }

  private func merger(_ todo: [String]) -> EncryptedOrgMerger {
    EncryptedOrgMerger(
      org: OrgMerger(todo: todo), sealers: configuration.store.seals.map { ($0.ending, $0.sealer(.real)) })
  }

  /// Returns the Org settings of the desktops behind the remotes.
  package func desktops() async throws(SyncError) -> [(remote: String, setup: DesktopSetup)] {
    var desktops: [(remote: String, setup: DesktopSetup)] = []
    for remote in configuration.remotes {
      guard let record = try await history.record(DesktopSetup.journalKey, of: remote.name) else { continue }
      desktops.append((remote.name, DesktopSetup(record: record)))
    }
    return desktops
  }

  /// Begins the next numbered run.
  func beginRun() async throws(SyncError) { try await writable?.beginRun() }
}
