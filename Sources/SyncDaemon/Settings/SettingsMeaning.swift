import SyncKit

/// What a settings file says, while it is read: all errors are reported to its tables.
struct SettingsMeaning {
  var daemon: DaemonSettings
  var alerts: AlertSettings
  var stores: [StoreMeaning]
  var remotes: [RemoteConfiguration]
  var events: [EventSettings]
  var hub: HubConfiguration?

  /// Reads the tables that the program knows.
  init(_ root: SettingsTable, _ registry: Registry) {
    daemon = root.table("syncd").settings(DaemonSettings.self)
    alerts = root.table("alerts").settings(AlertSettings.self)
    let tables = StoreTables(root, registry)
    stores = tables.read
    remotes = root.table("remotes").namedTables().compactMap { RemoteConfiguration($0, registry, stores: tables) }
    events = []
    hub = HubConfiguration(root, stores: tables)
    events = events(in: root)
    reportStores(in: root)
    reportOverlaps(in: root)
    reportNotes(in: root)
  }

  /// Reads the tables `[[on]]`, and reports a remote that does not exist.
  private func events(in root: SettingsTable) -> [EventSettings] {
    root.elements("on").map { table in
      let settings = table.settings(EventSettings.self)
      // The names of the tables, because a remote with mistakes is not among `remotes`.
      let names = root.table("remotes").namedTables().compactMap(\.path.last)
      if let remote = settings.remote, !names.contains(remote) {
        table.report(
          UnknownRemote(remote, among: names).sentence, at: settings.$remote.origin.location,
          suggestion: names.nearest(to: remote))
      }
      return settings
    }
  }

  /// Reports a store that contains the state folder or another store, whose files would belong to both.
  private func reportStores(in root: SettingsTable) {
    for (index, store) in stores.enumerated() {
      let folders = store.configuration.localFolders
      if let state = daemon.state?.path, FolderNames.overlap(state, anyOf: folders) {
        root.table("syncd").report(
          "the state folder and the store must not contain each other", at: daemon.$state.origin.location)
      }
      for other in stores[..<index] {
        guard folders.contains(where: { FolderNames.overlap($0, anyOf: other.configuration.localFolders) }) else {
          continue
        }
        store.table(in: root).report(
          "the folders of the stores \"\(other.name)\" and \"\(store.name)\" must not contain each other")
      }
    }
  }

  /// Reports overlapping folders: a remote inside a remote would be copied through the store forever, and the state folder must
  /// not be synced.
  private func reportOverlaps(in root: SettingsTable) {
    for (index, remote) in remotes.enumerated() {
      let table = root.table("remotes").table(remote.name)
      for folder in remote.localFolders {
        if let state = daemon.state, FolderNames.overlap(state.path, folder) {
          table.report("the state folder and the folder of a remote must not contain each other")
        }
        if let other = remotes[..<index].first(where: { FolderNames.overlap(folder, anyOf: $0.localFolders) }) {
          table.report(
            "the folders of the remotes \"\(other.name)\" and \"\(remote.name)\" must not contain each other")
        }
      }
    }
  }

  /// Reports files that the program writes for itself and that would be synced.
  private func reportNotes(in root: SettingsTable) {
    let owners =
      stores.map { ($0.title(among: stores), $0.configuration.localFolders) }
      + remotes.map { ("the folder of the remote \"\($0.name)\"", $0.localFolders) }
    let files = [
      ("audit-log", daemon.auditLog, daemon.$auditLog.origin.location),
      ("metrics", daemon.metrics, daemon.$metrics.origin.location),
    ]
    for (key, file, location) in files {
      for (owner, folders) in owners {
        guard let file, FolderNames.overlap(file.path, anyOf: folders) else { continue }
        root.table("syncd").report("`\(key)` must not be inside \(owner)", at: location)
      }
    }
  }
}

/// One store of a settings file.
struct StoreMeaning {
  var name: String
  var configuration: StoreConfiguration

  /// The table of the store.
  func table(in root: SettingsTable) -> SettingsTable {
    name == DaemonConfiguration.defaultStoreName ? root.table("store") : root.table("stores").table(name)
  }

  /// The store in a sentence.
  func title(among stores: [StoreMeaning]) -> String { stores.count > 1 ? "the store \"\(name)\"" : "the store" }
}

/// The tables of the stores: `[store]`, and the named ones in `[stores]`.
struct StoreTables {
  /// The names of all stores in the file.
  let names: [String]
  /// The stores whose settings could be read.
  let read: [StoreMeaning]

  /// Reads the stores. A file without any lacks `[store]`, which is reported.
  init(_ root: SettingsTable, _ registry: Registry) {
    let standard = DaemonConfiguration.defaultStoreName
    let named = root.contains("stores") ? root.table("stores").namedTables() : []
    for table in named where table.path.last == standard {
      table.report("a store cannot have the name \"\(standard)\"; write [\(standard)], or choose another name")
    }
    let tables = (root.contains(standard) || named.isEmpty ? [root.table(standard)] : []) + named
    names = tables.compactMap(\.path.last)
    read = tables.compactMap { table in
      StoreConfiguration(table, registry).map { StoreMeaning(name: table.path.last ?? "", configuration: $0) }
    }
  }

  /// Returns the name of a remote's store, and reports a missing or unknown one. Without the setting, it is the only store, or the
  /// one of `[store]`.
  func name(chosenBy setting: Setting<String?>, in table: SettingsTable) -> String {
    let standard = names.contains(DaemonConfiguration.defaultStoreName) ? DaemonConfiguration.defaultStoreName : nil
    guard let name = (setting.value ?? nil) ?? (names.count == 1 ? names.first : standard) else {
      table.report("`store` is missing in [\(table.name)]: it is one of \(names.joined(separator: ", "))")
      return ""
    }
    if !names.contains(name) {
      table.report(
        "no store named \"\(name)\"", at: setting.origin.location, suggestion: names.nearest(to: name))
    }
    return name
  }
}
