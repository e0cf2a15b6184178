internal import FileTree
public import SyncKit

public let plugins: [any Plugin.Type] = [OrgFiles.self]

/// The user's Org files in a local folder, as Emacs and other programs see them.
public struct OrgFiles: InternalStorage {
  public static let id = "org-files"
  public static let summary = "Keeps the Org files in a folder on this machine."
  public static var failpoints: [Failpoint] { TreeFailpoint.all }

  public struct Settings: PluginSettings {
    @Setting("Folder with your Org files.", .localFolder) public var path: SettingPath
    public init() {}
  }

  private let path: String

  public init(_ settings: Settings, _ context: PluginContext) { self.init(path: settings.path.path) }

  /// - Parameter path: the absolute path of the folder with the Org files.
  public init(path: String) { self.path = path }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Replica {
    OrgFilesReplica(FileTree(path: path, parts: parts))
  }
}
