package import SubtreeSelection
public import SyncKit

/// A valid settings file: everything that a run needs, and nothing opened yet.
public struct DaemonConfiguration: Sendable {
  /// The path of the file.
  public var file: String
  /// The context for relative paths and references.
  public var environment: SettingsEnvironment
  /// The settings of the table `[daemon]`.
  public var daemon: DaemonSettings
  /// The store.
  public var store: StoreConfiguration
  /// The remotes in file order.
  public var remotes: [RemoteConfiguration]
  /// What to do on events, in file order.
  public var events: [EventSettings]

  /// Interprets a parsed settings file with the linked plugins. Throws all errors at once.
  public init(_ settings: SettingsFile, file: String, registry: Registry) throws(SettingsError) {
    let environment = settings.environment
    typealias Meaning = (DaemonSettings, StoreConfiguration?, [RemoteConfiguration], [EventSettings])
    let meaning = try settings.read { root -> Meaning in
      let daemon = root.table("syncd").settings(DaemonSettings.self)
      let store = StoreConfiguration(root.table("store"), registry)
      let remotes = root.table("remotes").namedTables().compactMap { table in
        RemoteConfiguration(table, registry, store: store)
      }
      if let state = daemon.state?.path, FolderNames.overlap(state, anyOf: store?.localFolders) {
        root.table("syncd").report(
          "the state folder and the store must not contain each other", at: daemon.$state.origin.location)
      }
      let events = Self.events(in: root, of: remotes)
      Self.reportOverlaps(of: remotes, daemon.state, in: root)
      Self.reportNotes(of: daemon, amongFilesOf: store, remotes, in: root)
      return (daemon, store, remotes, events)
    }
    guard let store = meaning.1 else { throw SettingsError("[store] has no backend", at: TextLocation(file: file)) }
    self.file = file
    self.environment = environment
    daemon = meaning.0
    self.store = store
    remotes = meaning.2
    events = meaning.3
  }

  /// Reads the tables `[[on]]`, and reports a remote that does not exist.
  private static func events(in root: SettingsTable, of remotes: [RemoteConfiguration]) -> [EventSettings] {
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

  /// Reports overlapping folders: a remote inside a remote would be copied through the store forever, and the state folder must
  /// not be synced.
  private static func reportOverlaps(of remotes: [RemoteConfiguration], _ state: SettingPath?, in root: SettingsTable) {
    for (index, remote) in remotes.enumerated() {
      let table = root.table("remotes").table(remote.name)
      for folder in remote.localFolders {
        if let state, FolderNames.overlap(state.path, folder) {
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
  private static func reportNotes(
    of daemon: DaemonSettings, amongFilesOf store: StoreConfiguration?, _ remotes: [RemoteConfiguration],
    in root: SettingsTable
  ) {
    let owners =
      [("the store", store?.localFolders)]
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

  /// The folder of the archive and the lock.
  public var stateFolder: String {
    if let state = daemon.state { return state.path }
    if let folder = environment.variables["XDG_STATE_HOME"], folder.hasPrefix("/") { return folder + "/syncd" }
    return (environment.variables["HOME"] ?? "") + "/.local/state/syncd"
  }

  /// The settings in effect, table by table, with secrets redacted.
  public var effective: [EffectiveTable] {
    [EffectiveTable("syncd", daemon), EffectiveTable("store", store.settings, store.plugin.settings)]
      + store.seals.map { EffectiveTable("store.\($0.id)", $0.settings) } + remotes.flatMap(\.effective)
      + events.map { EffectiveTable("on", isElement: true, $0) }
  }

  /// The parts of a settings file, for a template or a schema.
  public static func layout(of registry: Registry) -> SettingsLayout {
    let any = SettingsSection.anyName
    var sections = [
      SettingsSection(["syncd"], "Settings of the program.", DaemonSettings.self),
      SettingsSection(["store"], "Where your files are on this machine.", StoreSettings.self),
    ]
    sections += registry.plugins(.store).map {
      SettingsSection($0, in: ["store"], chosenBy: "backend", settingsIn: .thisTable)
    }
    sections += registry.fileSealings.map { SealConfiguration.section($0) }
    sections.append(
      SettingsSection(["remotes", any], "A remote to sync the store with.", RemoteSettings.self))
    for role in [PluginRole.sync, .cloud, .encryption] {
      sections += registry.plugins(role).map { SettingsSection($0, in: ["remotes", any], chosenBy: role.name) }
    }
    sections.append(SettingsSection(["on"], "What to do on an event.", EventSettings.self, isArray: true))
    return SettingsLayout(sections)
  }
}

/// The store in the settings.
public struct StoreConfiguration: Sendable {
  /// The settings that all kinds of stores have.
  public var settings: StoreSettings
  /// The kind of store, with its own settings.
  public var plugin: ChosenPlugin
  /// The kinds of encryption that users can apply to files of the store themselves.
  public var seals: [SealConfiguration]

  init?(_ table: SettingsTable, _ registry: Registry) {
    settings = table.settings(StoreSettings.self)
    seals = registry.fileSealings.map { SealConfiguration($0, in: table) }
    let chosen = table.plugin(.store, chosenBy: settings.$backend, from: registry, settingsIn: .thisTable)
    guard let chosen else { return nil }
    plugin = chosen
    reportInbox(in: table)
  }

  /// Reports an inbox that is not synced, or not a valid path: a captured entry would be lost to other devices, or the capture
  /// would fail.
  private func reportInbox(in table: SettingsTable) {
    let ignored = PathFilter(ignore: DefaultIgnores.lines)
    guard let path = SyncPath(settings.inbox), ignored.accepts(path) else {
      return table.report(
        "`inbox` must be the path of a synced file in the store, such as \"inbox.org\"",
        at: settings.$inbox.origin.location)
    }
  }

  /// The local paths of the files.
  package var localFolders: [String] { plugin.settings.localFolders }

  /// The files with the secret keys for encrypted files of the store.
  package var privateFiles: [String] { plugin.settings.privateFiles + seals.flatMap(\.settings.privateFiles) }

  /// The folder of the files, if the store is a folder.
  package var root: String? { localFolders.first }
}

/// A remote in the settings.
public struct RemoteConfiguration: Sendable {
  /// The name of the remote: that of its table.
  public var name: String
  /// The settings that all remotes have.
  public var settings: RemoteSettings
  /// The sync backend, with its settings.
  public var sync: ChosenPlugin
  /// The storage of the sync backend; nil if it has its own.
  public var cloud: ChosenPlugin?
  /// The cipher around the storage; nil for none.
  public var encryption: ChosenPlugin?

  init?(_ table: SettingsTable, _ registry: Registry, store: StoreConfiguration?) {
    name = table.path.last ?? ""
    settings = table.settings(RemoteSettings.self)
    let sync = table.plugin(.sync, chosenBy: settings.$sync, from: registry)
    cloud = table.plugin(.cloud, chosenBy: settings.$cloud, from: registry)
    encryption = table.plugin(.encryption, chosenBy: settings.$encryption, from: registry)
    guard let sync else { return nil }
    self.sync = sync
    reportContradictions(in: table)
    reportOverlap(with: store, in: table)
  }

  /// The patterns of the files to sync with this remote, of those that the store syncs.
  package var patterns: (include: [String], exclude: [String]) {
    (PathFilter.limiting(settings.include.map(\.pattern)), settings.exclude.map(\.pattern))
  }

  /// Returns the filter of a store narrowed to the files to sync with this remote.
  package func filter(_ store: PathFilter) -> PathFilter {
    store.narrowed(include: patterns.include, ignore: patterns.exclude)
      .narrowed(include: match == nil ? [] : MatchRule.patterns, ignore: [])
  }

  /// The subtrees that the remote has; nil for whole files.
  package var match: MatchRule? { settings.match.flatMap(MatchRule.init) }

  /// True if the sync backend's format applies the encryption itself.
  package var formatSeals: Bool {
    (sync.type as? any SyncBackend.Type)?.ciphers.contains(settings.encryption) == true
  }

  /// The files with the secret keys of this remote.
  package var privateFiles: [String] {
    [sync, cloud, encryption].compactMap { $0?.settings.privateFiles }.flatMap(\.self)
  }

  /// The local paths of the remote's files; empty if they are not local.
  package var localFolders: [String] { [sync, cloud].compactMap { $0?.settings.localFolders }.flatMap(\.self) }

  /// Reports an overlap with the store: a folder that is synced with itself would grow forever.
  private func reportOverlap(with store: StoreConfiguration?, in table: SettingsTable) {
    guard let store else { return }
    for plugin in [sync, cloud].compactMap(\.self) {
      guard plugin.settings.localFolders.contains(where: { FolderNames.overlap($0, anyOf: store.localFolders) }) else {
        continue
      }
      table.table(plugin.type.id).report("the folder of the remote and the store must not contain each other")
    }
  }

  /// Reports settings without effect, because files could be sent unencrypted, or to another location.
  private func reportContradictions(in table: SettingsTable) {
    guard let backend = sync.type as? any SyncBackend.Type else { return }
    if let cipher = encryption?.type as? any EncryptionBackend.Type, !formatSeals,
      !(backend.usesStorage && cipher.sealsStorages)
    {
      table.report(
        "`sync = \"\(backend.id)\"` does not support this `encryption`",
        at: settings.$encryption.origin.location)
    }
    if settings.mode != .both, !backend.allowsModes {
      table.report("`sync = \"\(backend.id)\"` requires `mode = \"both\"`", at: settings.$mode.origin.location)
    }
    reportMatch(backend, in: table)
    if backend.usesStorage {
      guard settings.cloud == nil || settings.cloud == Registry.none else { return }
      table.report("`sync = \"\(backend.id)\"` requires a `cloud`: where the files are stored")
    } else {
      if let cloud = settings.cloud, cloud != Registry.none {
        table.report("`sync = \"\(backend.id)\"` does not use a `cloud`", at: settings.$cloud.origin.location)
      }
    }
  }

  private func reportMatch(_ backend: any SyncBackend.Type, in table: SettingsTable) {
    guard settings.match != nil else { return }
    if !backend.allowsMatch {
      table.report("`sync = \"\(backend.id)\"` does not support `match`", at: settings.$match.origin.location)
    } else if match == nil {
      table.report(
        "`match` must name tags, properties and states as in Org's matches, such as \"+mobile-private\"; comparisons other than "
          + "= and <> with a value in quotes, and regular expressions, are not supported",
        at: settings.$match.origin.location)
    }
  }

  package var effective: [EffectiveTable] {
    let plugins = [sync, cloud, encryption].compactMap(\.self)
    return [EffectiveTable("remotes.\(name)", settings)]
      + plugins.map { EffectiveTable("remotes.\(name).\($0.type.id)", $0.settings) }.filter { !$0.settings.isEmpty }
  }
}
