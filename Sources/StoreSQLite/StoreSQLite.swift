public import SyncKit

public let plugins: [any Plugin.Type] = [SQLiteStore.self]

/// The user's files in one SQLite file, for apps and servers that have no folder to show.
public struct SQLiteStore: InternalStorage {
  public static let id = "sqlite"
  public static let summary = "Keeps the Org files in one SQLite file on this machine."
  public static let isFolder = false
  public static var failpoints: [Failpoint] { StoreFailpoint.all }

  public struct Settings: PluginSettings {
    @Setting("File with your Org files. It is created if it is missing; the folder above it must exist.", .localFolder)
    public var path: SettingPath
    @Setting(
      "Copy the file, once it has changed, at least this often to FILE-copy, from which damage is repaired; 0s: never.")
    public var copy: Duration = .seconds(86_400)
    public init() {}
  }

  private let path: String
  private let copying: Duration

  public init(_ settings: Settings, _ context: PluginContext) {
    self.init(path: settings.path.path, copyingEvery: settings.copy)
  }

  /// - Parameters:
  ///   - path: the absolute path of the file with the store.
  ///   - copying: the time after which a changed file is copied again; zero for never.
  public init(path: String, copyingEvery copying: Duration = .zero) {
    (self.path, self.copying) = (path, copying)
  }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Replica {
    SQLiteReplica(StoreDatabase(at: path), parts, copyingEvery: copying)
  }

  public func files() -> (any LocalFiles)? { SQLiteFiles(StoreDatabase(at: path)) }

  public func repair(_ parts: RemoteParts, agreed: [SyncPath: Digest]) async throws(SyncError) -> StoreRepair? {
    try await StoreRecovery(path: path, parts: parts).run(agreed: agreed)
  }
}
