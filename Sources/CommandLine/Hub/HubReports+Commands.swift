#if Hub
  import ArchiveSQLite
  import Hub
  import OrgKit
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
        changes: { name in
          try await Workspace.with(configuration, .readOnly) { workspace in
            let lines = try await FormerVersions(workspace: workspace).changes(in: conflict(name, workspace))
            return ["version": 1, "changes": .array(lines.map(JSON.string))]
          }
        },
        resolve: { name, side in
          try await access.with { workspace in
            let item = try await conflict(name, workspace)
            try await ConflictResolution(item: item, workspace: workspace).carryOut(.side(side))
            let open = try await workspace.history.conflicts().count { $0.conflict.path == item.conflict.path }
            return ["version": 1, "path": .string(name.path), "open": .integer(open), "paths": [.string(name.path)]]
          }
        },
        passes: { limit in
          try await Workspace.with(configuration, .readOnly) { workspace in
            let passes = try await workspace.history.passes(touching: nil, since: nil, until: nil, atMost: limit)
            return LogCommand.document(passes)
          }
        },
        history: { entry in try await Workspace.with(configuration, .readOnly) { try await versions(of: entry, $0) } })
    }

    /// Returns the versions of an entry, which is found in the newest version of its file by what it is now.
    private static func versions(of entry: PlacedEntry, _ workspace: Workspace) async throws -> [EntryVersion] {
      guard let path = SyncPath(entry.path) else { return [] }
      let (present, former) = (OrgDocument(entry.content), FormerVersions(workspace: workspace))
      let history = try await HeadingHistory(
        of: { OrgPairs(from: $0, to: present).oldPlace(ofNew: entry.place) },
        in: try await FileVersion.all(of: path, in: workspace),
        content: { version throws(SyncError) in try await former.keptBytes(version.digest, of: path) })
      return history.changes.map { change in
        var facts = change.version.json(of: path)
        facts["change"] = .string(change.summary)
        let lines = ContentChange(path: path, old: change.old, new: change.new).lines
        facts["changes"] = .array(change.old == nil || change.new == nil ? [] : lines.map(JSON.string))
        return EntryVersion(text: change.new, facts: facts)
      }
    }

    /// Returns an open conflict, exactly the one that was shown: its sides are those of its pass.
    private static func conflict(_ name: ListedConflict, _ workspace: Workspace) async throws -> WaitingConflict {
      for item in try await workspace.history.conflicts() where item.remote == name.remote && item.pass == name.pass {
        if item.conflict.path.description == name.path { return item }
      }
      throw SyncError(.notFound, "the conflict of \(name.path) with \(name.remote) is not open")
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
