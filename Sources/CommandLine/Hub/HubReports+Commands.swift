#if Hub
  import ArchiveSQLite
  import Hub
  import SyncDaemon
  import SyncKit

  extension HubReports {
    /// The reports of the commands about a store, which is changed through `access`.
    static func of(_ configuration: DaemonConfiguration, _ access: WorkspaceAccess) -> HubReports {
      func report(_ body: @escaping @Sendable (Workspace) async throws -> JSON) -> Report {
        { try await Workspace.with(configuration, .readOnly, body) }
      }
      return HubReports(
        status: report(StatusCommand.document), conflicts: report(ConflictsCommand.document), holds: report(holds),
        settings: { try await SettingsCommand.Show.document([configuration]) },
        undo: { pass in
          try await access.with { workspace in
            let undo = try await PassUndo("\(pass)", in: workspace)
            let (count, errors) = try await undo.carryOut()
            return PassUndo.json(count, errors, of: undo.record)
          }
        },
        passes: { limit in
          try await Workspace.with(configuration, .readOnly) { workspace in
            let passes = try await workspace.history.passes(touching: nil, since: nil, until: nil, atMost: limit)
            return LogCommand.document(passes)
          }
        })
    }

    private static func holds(_ workspace: Workspace) async throws -> JSON {
      let holds = try await workspace.history.holds().map { item -> JSON in
        [
          "id": .string(item.hold.id), "remote": .string(item.remote), "reason": .string(item.hold.reason),
          "since": .string("\(CivilTime(item.since))"),
          "paths": .array(item.hold.items.sorted().map { .string($0.path.description) }),
        ]
      }
      return ["version": 1, "holds": .array(holds)]
    }
  }
#endif
