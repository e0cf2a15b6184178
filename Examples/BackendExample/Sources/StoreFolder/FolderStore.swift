internal import FileTree
public import SyncKit

/// The plugins that this module adds to a program.
public let plugins: [any Plugin.Type] = [FolderStore.self]

/// A local folder as the store: the user's files, which other programs use too.
public struct FolderStore: InternalStorage {
  public static let id = "folder-store"
  public static let summary = "Keeps the files in a folder on this machine."
  public static var failpoints: [Failpoint] { TreeFailpoint.all }

  public struct Settings: PluginSettings {
    @Setting("Folder with your files.", .localFolder) public var path: SettingPath

    public init() {}
  }

  private let path: String

  public init(_ settings: Settings, _ context: PluginContext) { path = settings.path.path }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Replica { FileTree(path: path, parts: parts) }
}
