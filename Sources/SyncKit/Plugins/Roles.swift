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

  /// The ids of the ciphers that this format uses by itself. Whatever else seals storages seals the one that the remote is
  /// staged through; settings that name another cipher are refused, for nothing that was meant to be sealed may go out
  /// readable. Default: none.
  static var ciphers: Set<String> { get }

  /// The remote as a replica. `parts.storage` is there if and only if `usesStorage` is true.
  func open(_ parts: RemoteParts) async throws(SyncError) -> any Replica
}

/// A way to seal what leaves this machine.
public protocol EncryptionBackend: Plugin {
  /// Whether any storage can be sealed with it: what it seals proves itself whole, and takes a label with it. What does not
  /// is only for formats that name it among their ciphers. Default: it does.
  static var sealsStorages: Bool { get }

  /// The cipher with its keys at hand. A key that cannot be had is an error, never a reason to send readable bytes.
  func open(_ parts: RemoteParts) async throws(SyncError) -> any Cipher
}

/// A way to seal that people also use by themselves, for single files of their store such as `notes.org.gpg`.
public protocol FileSealing: EncryptionBackend {
  /// What the store's table for it, which is named by its id, may hold. All of it is optional.
  associatedtype FileSettings: PluginSettings

  /// What the names of such files end with, behind what they would end with if they were readable.
  static var fileEnding: String { get }

  /// What opens them, with the keys of this machine or those that the settings name. Nothing is asked of anybody before a
  /// file is opened.
  static func fileSealer(_ settings: FileSettings, _ world: World) -> any FileSealer
}

extension EncryptionBackend {
  public static var sealsStorages: Bool { true }
  public static var role: PluginRole { .encryption }
}

extension InternalStorage {
  public static var role: PluginRole { .store }
}

extension CloudStorage {
  public static var role: PluginRole { .cloud }
}

extension SyncBackend {
  public static var ciphers: Set<String> { [] }
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
