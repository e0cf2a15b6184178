internal import FileTree
public import SyncKit

public let plugins: [any Plugin.Type] = [Folder.self]

/// A local folder as a cloud storage: another disk, a network drive, or a folder that another program syncs.
public struct Folder: CloudStorage {
  public static let id = "folder"
  public static let summary = "Keeps files in a folder on this machine, such as a USB disk or a network share."
  public static var failpoints: [Failpoint] { TreeFailpoint.all }

  public struct Settings: PluginSettings {
    @Setting("Folder to sync with.", .shareable, .localFolder) public var path: SettingPath
    @Setting("Create the folder if it does not exist; leave this off for a folder on a removable disk.", .shareable)
    public var create = false
    public init() {}
  }

  private let path: String
  private let create: Bool

  public init(_ settings: Settings, _ context: PluginContext) {
    self.init(path: settings.path.path, create: settings.create)
  }

  /// - Parameters:
  ///   - path: the absolute path of the folder to mirror to.
  ///   - create: true if the folder is created where it is missing.
  public init(path: String, create: Bool = false) {
    self.path = path
    self.create = create
  }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Storage {
    FileTree(path: path, parts: parts, createsRoot: create)
  }
}
