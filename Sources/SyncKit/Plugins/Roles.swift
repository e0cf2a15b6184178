public import SettingsRegistry

/// The role of a store: the local place of the user's Org files.
public protocol InternalStorage: Plugin {
  /// True if the local path in the settings is a folder, in which other programs see and change the files. False if it is one file
  /// that has them all. Default: true.
  static var isFolder: Bool { get }

  /// Opens the store as a replica.
  func open(_ parts: RemoteParts) async throws(SyncError) -> any Replica

  /// Returns the files, to be read beside a running pass; nil if the store does not offer that, or is a folder, which needs no help.
  /// Nothing is accessed before the first call of one of its methods. Default: nil.
  func files() -> (any LocalFiles)?

  /// Replaces a damaged store by one with the files that can be restored, and keeps the damaged one under another name. The caller
  /// has the lock of the store, and afterwards forgets what was agreed with its remotes. Returns nil if a store of this kind has no
  /// such repair. Default: nil.
  ///
  /// - Parameter agreed: the last contents that the store and its remotes agreed on, which `parts.contents` may have.
  func repair(_ parts: RemoteParts, agreed: [SyncPath: Digest]) async throws(SyncError) -> StoreRepair?
}

/// What the repair of a store has restored.
public struct StoreRepair: Sendable {
  /// The path that the damaged store was moved to.
  public var damaged: String
  /// The number of files that were intact.
  public var intact = 0
  /// The files whose last content was restored from the history.
  public var restored: [SyncPath] = []
  /// The files that were restored from an older copy, so that their last changes may be missing.
  public var older: [SyncPath] = []
  /// The files that could not be restored; a remote may have them.
  public var missing: [SyncPath] = []
  /// True if the damage may hide files whose names are unknown.
  public var mayLackFiles = false

  /// A repair that has restored nothing yet.
  public init(damaged: String) { self.damaged = damaged }
}

/// The role of a cloud storage: holds the files that a sync backend stages.
public protocol CloudStorage: Plugin {
  /// Opens the storage that the settings describe. It is not accessed before the first call of one of its methods.
  func open(_ parts: RemoteParts) async throws(SyncError) -> any Storage
}

/// The role of a sync backend: presents its remote as a replica.
public protocol SyncBackend: Plugin {
  /// True if the remote is staged through a cloud storage, which the settings then must name.
  static var usesStorage: Bool { get }

  /// The ids of the ciphers that this format applies itself. All others encrypt the storage that the remote is staged
  /// through. Settings in which `encryption` would have no effect are refused. Default: none.
  static var ciphers: Set<String> { get }

  /// True if a remote may have another mode than `both`. False if opening or listing the remote already changes files there, or
  /// if its format cannot keep both sides different. Default: true.
  static var allowsModes: Bool { get }

  /// True if a remote keeps all former versions of its files, as a git repository does. Default: false.
  static var keepsFormerVersions: Bool { get }

  /// True if a remote may have only the subtrees of the store's files that match. False if its format refers to parts of files
  /// that are not synced. Default: true.
  static var allowsMatch: Bool { get }

  /// Opens the remote as a replica. `parts.storage` is set if and only if `usesStorage` is true.
  func open(_ parts: RemoteParts) async throws(SyncError) -> any Replica
}

/// The role of an encryption: encrypts data before it leaves this machine.
public protocol EncryptionBackend: Plugin {
  /// True if it can encrypt any storage, because its ciphertext is authenticated and contains a label. Otherwise it is only for
  /// formats that name it among their ciphers. Default: true.
  static var sealsStorages: Bool { get }

  /// Opens the cipher with its keys. A missing key is an error, never a reason to send plaintext.
  func open(_ parts: RemoteParts) async throws(SyncError) -> any Cipher
}

/// An encryption that people also apply themselves, to single files of their store such as `notes.org.gpg`.
public protocol FileSealing: EncryptionBackend {
  /// The settings in the store's table that is named by the plugin's id. All of them must be optional.
  associatedtype FileSettings: PluginSettings

  /// The extension of such files, after that of the plaintext.
  static var fileEnding: String { get }

  /// Returns a sealer for such files, with the keys of this machine or those in the settings. It never prompts before a file is
  /// decrypted.
  static func fileSealer(_ settings: FileSettings, _ runtime: Runtime) -> any FileSealer
}

extension EncryptionBackend {
  public static var sealsStorages: Bool { true }
  public static var role: PluginRole { .encryption }
}

extension InternalStorage {
  public static var role: PluginRole { .store }
  public static var isFolder: Bool { true }
  public func files() -> (any LocalFiles)? { nil }

  public func repair(_ parts: RemoteParts, agreed: [SyncPath: Digest]) async throws(SyncError) -> StoreRepair? { nil }
}

extension CloudStorage {
  public static var role: PluginRole { .cloud }
}

extension SyncBackend {
  public static var ciphers: Set<String> { [] }
  public static var allowsModes: Bool { true }
  public static var keepsFormerVersions: Bool { false }
  public static var allowsMatch: Bool { true }
  public static var role: PluginRole { .sync }
}

extension PluginRole {
  /// The place of the user's files.
  public static let store = PluginRole("store", title: "Internal storages")
  /// The way in which a remote is synced.
  public static let sync = PluginRole("sync", title: "Sync backends")
  /// The place where the files of a remote are stored.
  public static let cloud = PluginRole("cloud", title: "Cloud storages")
  /// The encryption of contents before they leave this machine.
  public static let encryption = PluginRole("encryption", title: "Encryption")
}
