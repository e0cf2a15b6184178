package import SubtreeSelection
public import SyncKit

/// The settings of one store and its remotes: everything that a run needs, and nothing opened yet. A settings file has one for
/// each of its stores.
public struct DaemonConfiguration: Sendable {
  /// The path of the file.
  public var file: String
  /// The context for relative paths and references.
  public var environment: SettingsEnvironment
  /// The settings of the table `[syncd]`, which all stores share.
  public var daemon: DaemonSettings
  /// The settings of the table `[alerts]`, which all stores share.
  public var alerts: AlertSettings
  /// The name of the store: `work` for `[stores.work]`, and ``defaultStoreName`` for `[store]`.
  public var storeName: String
  /// The names of all stores in the file, in file order.
  public var storeNames: [String]
  /// The store.
  public var store: StoreConfiguration
  /// The remotes of the store in file order.
  public var remotes: [RemoteConfiguration]
  /// What to do on events of these remotes, in file order.
  public var events: [EventSettings]
  /// The hub, if the settings have one for this store.
  public var hub: HubConfiguration?

  /// The limits of the transfers of all remotes, which all stores of the file share.
  let traffic: TrafficLimit

  /// The name of the store in the table `[store]`.
  public static let defaultStoreName = "store"

  /// Interprets a parsed settings file with one store. Throws all errors at once.
  public init(_ settings: SettingsFile, file: String, registry: Registry) throws(SettingsError) {
    let stores = try Self.stores(in: settings, file: file, registry: registry)
    guard let only = stores.first, stores.count == 1 else {
      throw SettingsError("the file has several stores", at: TextLocation(file: file))
    }
    self = only
  }

  private init(
    _ store: StoreMeaning, of meaning: SettingsMeaning, _ settings: SettingsFile, file: String, _ traffic: TrafficLimit
  ) {
    self.file = file
    self.traffic = traffic
    environment = settings.environment
    daemon = meaning.daemon
    alerts = meaning.alerts
    storeName = store.name
    storeNames = meaning.stores.map(\.name)
    self.store = store.configuration
    remotes = meaning.remotes.filter { $0.storeName == store.name }
    let names = remotes.map(\.name)
    events = meaning.events.filter { $0.remote.map(names.contains) ?? true }
    hub = meaning.hub.flatMap { $0.storeName == store.name ? $0 : nil }
  }

  /// Interprets a parsed settings file with the linked plugins, and returns the settings of each store in file order. Throws all
  /// errors at once.
  public static func stores(
    in settings: SettingsFile, file: String, registry: Registry
  ) throws(SettingsError) -> [DaemonConfiguration] {
    let meaning = try settings.read { root in SettingsMeaning(root, registry) }
    guard !meaning.stores.isEmpty else { throw SettingsError("[store] has no backend", at: TextLocation(file: file)) }
    let traffic = TrafficLimit(meaning.daemon.bandwidth)
    return meaning.stores.map { DaemonConfiguration($0, of: meaning, settings, file: file, traffic) }
  }

  /// True if the file has other stores.
  public var isOneOfSeveral: Bool { storeNames.count > 1 }

  /// The name of the table of the store.
  package var storeTable: String { storeName == Self.defaultStoreName ? "store" : "stores.\(storeName)" }

  /// The folder of the archive and the lock. Each store of `[stores]` has its own within that of the program.
  public var stateFolder: String {
    storeName == Self.defaultStoreName ? programFolder : "\(programFolder)/stores/\(storeName)"
  }

  private var programFolder: String {
    if let state = daemon.state { return state.path }
    if let folder = environment.variables["XDG_STATE_HOME"], folder.hasPrefix("/") { return folder + "/syncd" }
    return (environment.variables["HOME"] ?? "") + "/.local/state/syncd"
  }

  /// The settings in effect, table by table, with secrets redacted.
  public var effective: [EffectiveTable] {
    Self.effective([self])
  }

  /// The settings in effect of all stores of a file, table by table, with secrets redacted.
  package static func effective(_ stores: [DaemonConfiguration]) -> [EffectiveTable] {
    guard let first = stores.first else { return [] }
    // An event of all remotes belongs to each store.
    let events = stores.flatMap(\.events).map { EffectiveTable("on", isElement: true, $0) }
    return [EffectiveTable("syncd", first.daemon), EffectiveTable("alerts", first.alerts)]
      + stores.flatMap(\.storeTables)
      + stores.flatMap { $0.remotes.flatMap(\.effective) }
      + stores.flatMap { $0.hub?.effective ?? [] }
      + events.enumerated().filter { !events[..<$0.offset].contains($0.element) }.map(\.element)
  }

  private var storeTables: [EffectiveTable] {
    [EffectiveTable(storeTable, store.settings, store.plugin.settings)]
      + store.seals.map { EffectiveTable("\(storeTable).\($0.id)", $0.settings) }
  }

  /// The parts of a settings file, for a template or a schema.
  public static func layout(of registry: Registry) -> SettingsLayout {
    let any = SettingsSection.anyName
    var sections = [
      SettingsSection(["syncd"], "Settings of the program.", DaemonSettings.self)
    ]
    for (path, summary) in [
      (["store"], "Where your files are on this machine."),
      (["stores", any], "One of several stores, instead of [store] or in addition to it."),
    ] {
      sections.append(SettingsSection(path, summary, StoreSettings.self, isOptional: true))
      sections += registry.plugins(.store).map {
        SettingsSection($0, in: path, chosenBy: "backend", settingsIn: .thisTable)
      }
      sections += registry.fileSealings.map { SealConfiguration.section($0, in: path) }
    }
    sections.append(
      SettingsSection(["remotes", any], "A remote to sync the store with.", RemoteSettings.self))
    for role in [PluginRole.sync, .cloud, .encryption] {
      sections += registry.plugins(role).map { SettingsSection($0, in: ["remotes", any], chosenBy: role.name) }
    }
    sections.append(SettingsSection(["alerts"], "Which dates of entries to announce.", AlertSettings.self))
    sections.append(
      SettingsSection(["hub"], "Serve browsers and phones, as a part of the service.", HubSettings.self, isSwitch: true)
    )
    sections.append(
      SettingsSection(["hub", "tls"], "How the hub encrypts connections.", HubTLSSettings.self, isSwitch: true))
    sections.append(
      SettingsSection(["hub", "push"], "How the hub sends reminders to devices.", HubPushSettings.self, isSwitch: true))
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

  /// The local path of the files: of the folder, or of the file that has them all. Nil if they are not in one place.
  package var place: String? { localFolders.first }

  /// The folder of the files, if the store is a folder.
  package var root: String? { isFolder ? place : nil }

  private var isFolder: Bool { (plugin.type as? any InternalStorage.Type)?.isFolder ?? false }

  /// Returns the files, to be read beside a running pass. Throws `.invalidSettings` if this kind of store does not offer them.
  package func files() throws(SyncError) -> any LocalFiles {
    if let files = try plugin.made(as: (any InternalStorage).self).files() { return files }
    if let root { return FolderFiles(root: root) }
    throw SyncError(
      .invalidSettings,
      "entries cannot be listed or edited in a store with `backend = \"\(settings.backend)\"`; use another backend")
  }
}

/// A remote in the settings.
public struct RemoteConfiguration: Sendable {
  /// The name of the remote: that of its table.
  public var name: String
  /// The name of the store that it is synced with.
  public var storeName: String
  /// The settings that all remotes have.
  public var settings: RemoteSettings
  /// The sync backend, with its settings.
  public var sync: ChosenPlugin
  /// The storage of the sync backend; nil if it has its own.
  public var cloud: ChosenPlugin?
  /// The cipher around the storage; nil for none.
  public var encryption: ChosenPlugin?

  init?(_ table: SettingsTable, _ registry: Registry, stores: StoreTables) {
    name = table.path.last ?? ""
    settings = table.settings(RemoteSettings.self)
    storeName = stores.name(chosenBy: settings.$store, in: table)
    let sync = table.plugin(.sync, chosenBy: settings.$sync, from: registry)
    cloud = table.plugin(.cloud, chosenBy: settings.$cloud, from: registry)
    encryption = table.plugin(.encryption, chosenBy: settings.$encryption, from: registry)
    guard let sync else { return nil }
    self.sync = sync
    reportContradictions(in: table)
    for store in stores.read { reportOverlap(with: store, in: table) }
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

  /// The limits of the remote's transfers: its own, and `shared` unless it is on this machine.
  func traffic(_ shared: TrafficLimit) -> TrafficLimit {
    TrafficLimit(settings.bandwidth).with(localFolders.isEmpty ? shared : .none)
  }

  /// The local paths of the remote's files; empty if they are not local.
  package var localFolders: [String] { [sync, cloud].compactMap { $0?.settings.localFolders }.flatMap(\.self) }

  /// Reports an overlap with a store: a folder that is synced with itself would grow forever.
  private func reportOverlap(with store: StoreMeaning, in table: SettingsTable) {
    let folders = store.configuration.localFolders
    let name = store.name == storeName ? "store" : "store \"\(store.name)\""
    for plugin in [sync, cloud].compactMap(\.self) {
      guard plugin.settings.localFolders.contains(where: { FolderNames.overlap($0, anyOf: folders) }) else { continue }
      table.table(plugin.type.id).report("the folder of the remote and the \(name) must not contain each other")
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
