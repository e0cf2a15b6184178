public import SettingsRegistry

/// The store's plugin: where the user's Org files live on this machine.
public protocol InternalStorage: Plugin {
  /// The store as a replica.
  func open(_ parts: RemoteParts) async throws(SyncError) -> any Replica
}

/// A place that a sync backend stages through.
public protocol CloudStorage: Plugin {
  /// The place, as the settings describe it. Nothing is asked of it before its first verb is called.
  func open(_ parts: RemoteParts) async throws(SyncError) -> any Storage
}

/// A way to sync: presents its remote as a replica, and nothing else.
public protocol SyncBackend: Plugin {
  /// Whether the remote is staged through a cloud storage, which the settings then must name.
  static var usesStorage: Bool { get }

  /// The remote as a replica. `parts.storage` is there if and only if `usesStorage` is true.
  func open(_ parts: RemoteParts) async throws(SyncError) -> any Replica
}

extension InternalStorage {
  public static var role: PluginRole { .store }
}

extension CloudStorage {
  public static var role: PluginRole { .cloud }
}

extension SyncBackend {
  public static var role: PluginRole { .sync }
}

extension PluginRole {
  /// Where the user's files live.
  public static let store = PluginRole("store", title: "Internal storages")
  /// A way to sync.
  public static let sync = PluginRole("sync", title: "Sync backends")
  /// A place that a sync backend stages through.
  public static let cloud = PluginRole("cloud", title: "Cloud storages")
  /// How contents are sealed before they leave this machine.
  public static let encryption = PluginRole("encryption", title: "Encryption")
}
