internal import FileTree
internal import OrgMerging
public import SyncKit

public let plugins: [any Plugin.Type] = [ICloudDrive.self]

/// A folder in iCloud Drive on a Mac: a local folder in which the content of a file may be only in iCloud.
public struct ICloudDrive: CloudStorage {
  public static let id = "icloud"
  public static let summary = "Keeps files in iCloud Drive; on a Mac only."
  public static var failpoints: [Failpoint] { TreeFailpoint.all }

  public struct Settings: PluginSettings {
    @Setting("Folder in iCloud Drive, such as org, or the absolute path of an app's folder.", .shareable)
    public var path: String
    @Setting("Create the folder if it does not exist.", .shareable) public var create = false
    @Setting(
      "Contents to fetch from iCloud: those that a pass needs (fetch), all (fetch-all), or none (leave).", .shareable)
    public var placeholders = Fetching.fetch
    public init() {}

    public var contradictions: [String] {
      ICloudDrive.isFolder(path) ? [] : ["`path` must be a folder in iCloud Drive or an absolute path, without `..`"]
    }
  }

  /// The contents to fetch.
  public enum Fetching: String, Sendable, CaseIterable, SettingValue {
    case fetch
    case fetchAll = "fetch-all"
    case leave
  }

  private let settings: Settings
  /// iCloud on this machine; nil if it cannot be reached.
  private let service: ICloudService?

  public init(_ settings: Settings, _ context: PluginContext) { self.init(settings, .ofThisMachine) }

  init(_ settings: Settings, _ service: ICloudService?) { (self.settings, self.service) = (settings, service) }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Storage {
    guard let service else {
      throw SyncError(
        .invalidSettings,
        "the remote \(parts.name) is in iCloud Drive, which only a Mac can reach: Apple offers no access for other systems. "
          + "Sync it on a Mac, or choose another `cloud` here")
    }
    let path = settings.path.hasPrefix("/") ? settings.path : "\(service.drive)/\(settings.path)"
    let tree = FileTree(
      path: path, parts: parts, createsRoot: settings.create, keptBy: service.program(settings.placeholders))
    return ICloudStorage(tree, service, OrgMerger(), parts)
  }

  private static func isFolder(_ path: String) -> Bool {
    let names = path.split(separator: "/", omittingEmptySubsequences: false).drop { $0.isEmpty }
    return !names.isEmpty && !names.contains("..") && !names.contains("")
  }
}
