internal import FileTree
public import SyncKit

public let plugins: [any Plugin.Type] = [Folder.self]

/// A local folder as a cloud storage: another disk, a network drive, or a folder that another program syncs.
public struct Folder: CloudStorage {
  public static let id = "folder"
  public static let summary = "Keeps files in a folder on this machine, such as a USB disk or a network share."
  public static var failpoints: [Failpoint] { TreeFailpoint.all }

  public struct Settings: PluginSettings {
    @Setting("Folder to sync with.", .localFolder) public var path: SettingPath
    public init() {}
  }

  private let path: String

  public init(_ settings: Settings, _ context: PluginContext) { self.init(path: settings.path.path) }

  /// - Parameter path: the absolute path of the folder to sync with.
  public init(path: String) { self.path = path }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Storage {
    FileTree(path: path, parts: parts)
  }
}
