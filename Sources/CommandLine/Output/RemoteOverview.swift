import ArchiveSQLite
import SealedStorage
import SyncDaemon
import SyncKit

/// The state of one remote for `syncd status`.
struct RemoteOverview {
  var name: String
  /// The fingerprint of the remote's key; nil if the remote is not encrypted.
  var fingerprint: String?
  /// Which changes pass between the store and the remote.
  var mode: RemoteMode
  var status: RemoteStatus
  /// The number of files that both sides agree on.
  var files: Int
  var hold: WaitingHold?
  /// Deletions that were approved, and that no pass has made yet.
  var approved: [HeldItem]
  var conflicts: [WaitingConflict]
  /// Paths in the store that have changed since the last pass; nil if the store cannot be read now.
  var unsynced: [SyncPath]?
  /// The sentence about files in the store whose content is only in a cloud; nil if there are none.
  var placeholders: String?
  /// True if the remote has been out of sync for longer than `stale-after`.
  var isStale: Bool
  /// How long the remote is paused, in a line; nil if it is not.
  var pause: String?
  /// The reason why the service does not sync the remote by itself now, by `only-on` and `quiet-hours`; nil if it does.
  var restraint: String?
  /// The devices that have written to the remote, as far as it records them.
  var devices: [RemoteDevice]

  /// Returns the state of a workspace's remotes, in the order of the settings.
  static func all(in workspace: Workspace) async throws -> [RemoteOverview] {
    let holds = try await workspace.history.holds()
    let conflicts = try await workspace.history.conflicts()
    let files = try await workspace.history.facts().agreements
    let changes = await StoreChanges(workspace)
    let restraints = await workspace.configuration.restraints(at: Runtime.real.now())
    var all: [RemoteOverview] = []
    for remote in workspace.configuration.remotes {
      let status = workspace.state.status(of: remote.name)
      let local = await changes?.since(remote, except: status.ignored)
      all.append(
        RemoteOverview(
          name: remote.name,
          fingerprint: try await SealRecord(in: workspace.archive.journal(of: remote.name))?.fingerprint,
          mode: remote.settings.mode, status: status, files: files[remote.name] ?? 0,
          hold: holds.first { $0.remote == remote.name },
          approved: try await workspace.archive.memory(of: remote.name).allowed.sorted(),
          conflicts: conflicts.filter { $0.remote == remote.name },
          unsynced: local?.paths, placeholders: local?.placeholders,
          isStale: status.isStale(after: workspace.configuration.daemon.staleAfter, at: Runtime.real.now()),
          pause: pause(of: remote.name, workspace.state.pauses), restraint: restraints[remote.name],
          devices: RemoteDevice.all(
            try await SeenDevices(in: workspace.archive.journal(of: remote.name)).names(), workspace.device)))
    }
    return all
  }

  private static func pause(of remote: String, _ pauses: Pauses) -> String? {
    guard pauses.contains(remote, at: Runtime.real.now()) else { return nil }
    return "paused until " + (pauses.end(of: remote).map { "\(LocalTime($0))" } ?? "`syncd resume \(remote)`")
  }

  /// The remote's result: the worst of its known results.
  var result: PassResult {
    let results: [PassResult?] = [
      status.failure.map { PassResult(SyncError($0.code, $0.message)) }, hold.map { _ in .held }, status.unfinished,
      conflicts.isEmpty ? nil : .conflicts, status.lastSuccess == nil || isStale ? .unsettled : nil,
    ]
    return results.compactMap { $0 }.max() ?? .synced
  }

  /// The colour of the remote's line: whether all is well, something waits for the user, or something failed.
  var colour: Colour {
    switch result {
    case .synced, .waiting: .green
    case .unsettled, .timedOut, .conflicts, .held: .yellow
    case .failed, .unreachable, .unauthorized, .damaged: .red
    }
  }

  var lines: [String] {
    let success = status.lastSuccess.map { "last in sync \(LocalTime($0))" } ?? "never in sync yet"
    let warning = isStale ? ", longer ago than `stale-after`" : ""
    return ["\(name): \(success)\(warning), \(files.counted("file"))"] + keyLines + RemoteDevice.lines(devices)
      + (pause.map { ["  \($0)"] } ?? []) + (restraint.map { ["  the service does not sync it \($0)"] } ?? [])
      + failureLines + unsyncedLines + (placeholders.map { ["  \($0)"] } ?? [])
      + pendingLines + ignoredLines + approvedLines + holdLines
      + conflicts.map { "  conflict in \($0.conflict.path) since \(LocalTime($0.since)): `syncd conflicts`" }
  }

  private var keyLines: [String] { fingerprint.map { ["  encrypted; fingerprint \($0)"] } ?? [] }

  private var failureLines: [String] {
    status.failure.map { ["  since \(LocalTime($0.since)): \($0.message)"] } ?? []
  }

  private var unsyncedLines: [String] {
    guard let unsynced else { return ["  cannot read the store to find changes; `syncd doctor` shows the reason"] }
    return list(unsynced.map(\.description), under: "changed in the store since the last pass:")
  }

  private var pendingLines: [String] { list(status.pending, under: "pending since the last pass:") }

  private var ignoredLines: [String] {
    list(
      status.ignored.files.map { "\($0.path): \($0.change)" }, count: status.ignored.count,
      under: "ignored by `mode = \"\(mode.rawValue)\"`:")
  }

  private func list(_ items: [String], count: Int? = nil, under heading: String) -> [String] {
    let count = count ?? items.count
    guard count > 0 else { return [] }
    let rest = count > 10 ? ["    and \(count - 10) more"] : []
    return ["  \(count.counted("file")) \(heading)"] + items.prefix(10).map { "    \($0)" } + rest
  }

  private var approvedLines: [String] {
    list(approved.map(Self.line), under: "with an approved deletion, which the next pass makes:")
  }

  private static func line(_ item: HeldItem) -> String {
    "\(item.path) (from the \(item.side == .local ? "store" : "remote"))"
  }

  private var holdLines: [String] {
    guard let hold else { return [] }
    let items = hold.hold.items.sorted()
    return [
      "  held since \(LocalTime(hold.since)), ID \(hold.hold.id): \(hold.hold.reason)",
      "  `syncd allow \(hold.hold.id)` approves the deletion of exactly \(items.count == 1 ? "this file" : "these \(items.count) files"),",
      "  `syncd deny \(hold.hold.id)` puts \(items.count == 1 ? "it" : "them") back:",
    ] + items.map { "    " + Self.line($0) }
  }

  var json: JSON {
    [
      "name": .string(name), "fingerprint": fingerprint.map(JSON.string) ?? .null, "files": .integer(files),
      "result": .string(result.word), "stale": .boolean(isStale),
      "paused": .boolean(pause != nil), "waits": restraint.map(JSON.string) ?? .null,
      "last-success": status.lastSuccess.map { .string("\(CivilTime($0))") } ?? .null,
      "trouble": status.failure.map {
        ["code": .string($0.code.rawValue), "message": .string($0.message), "since": .string("\(CivilTime($0.since))")]
      } ?? .null,
      "unsynced": unsynced.map { .array($0.prefix(1_000).map { .string($0.description) }) } ?? .null,
      "placeholders": placeholders.map(JSON.string) ?? .null,
      "pending": .array(status.pending.map(JSON.string)), "mode": .string(mode.rawValue),
      "ignored": [
        "count": .integer(status.ignored.count),
        "files": .array(status.ignored.files.map { ["path": .string($0.path), "change": .string($0.change)] }),
      ],
      "held": hold.map {
        [
          "id": .string($0.hold.id), "reason": .string($0.hold.reason), "since": .string("\(CivilTime($0.since))"),
          "paths": .array($0.hold.items.sorted().map { .string($0.path.description) }),
        ]
      } ?? .null,
      "conflicts": .array(conflicts.map { .string($0.conflict.path.description) }),
      "devices": .array(devices.map(\.json)),
    ]
  }
}

/// Compares the present store with the base of each remote. Read-only, and never waits for a pass.
private struct StoreChanges {
  private let workspace: Workspace
  private let store: any Replica
  private let filter: PathFilter

  /// Opens the store; returns nil if it cannot be read now.
  init?(_ workspace: Workspace) async {
    do throws(SyncError) {
      store = try await workspace.stack.openStore()
      filter = try await PathFilter(
        of: store, include: workspace.options.include, exclude: workspace.options.exclude)
      self.workspace = workspace
    } catch { return nil }
  }

  /// Returns the paths that have changed since the last pass over `remote`, and a sentence about placeholders; nil if the store
  /// cannot be listed now.
  ///
  /// - Parameter ignored: what the remote's mode does not let pass; these files are not counted.
  func since(
    _ remote: RemoteConfiguration, except ignored: RemoteStatus.IgnoredChanges
  ) async -> (paths: [SyncPath], placeholders: String?)? {
    do throws(SyncError) {
      let memory = try await workspace.archive.memory(of: remote.name)
      let listing = try await workspace.stack.presented(store, to: remote)
        .list(since: Known(memory.base, on: .local, filter: remote.filter(filter))).withUnreadPlaceholders
      let known = Set(ignored.files.map(\.path))
      let paths = listing.changedPaths.filter { !known.contains($0.description) && !listing.isUnknown($0) }
      return (paths, listing.placeholderNotice(.local))
    } catch { return nil }
  }
}
