public import SyncKit

/// The plugins that this module adds to a program.
public let plugins: [any Plugin.Type] = [BundleCloud.self]

/// Keeps all files in one file: for places that handle one file better than thousands, such as a mail attachment, a version
/// control system for large files or a USB stick with a poor file system.
public struct BundleCloud: CloudStorage {
  public static let id = "bundle"
  public static let summary = "Keeps all files in one file on this machine."
  public static var failpoints: [Failpoint] { BundleFailpoint.all }

  public struct Settings: PluginSettings {
    @Setting("The file that holds all others; its folder must exist.", .localFolder) public var path: SettingPath

    public init() {}
  }

  private let path: String

  public init(_ settings: Settings, _ context: PluginContext) { path = settings.path.path }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Storage { BundleStorage(path: path) }
}
