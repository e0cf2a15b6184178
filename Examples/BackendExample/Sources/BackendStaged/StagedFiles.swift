public import SyncKit

/// The plugins that this module adds to a program.
public let plugins: [any Plugin.Type] = [StagedFiles.self]

/// Keeps files under the same names in the cloud storage that the settings choose.
public struct StagedFiles: SyncBackend {
  public static let id = "staged-files"
  public static let summary = "Keeps the same files under the same names in a cloud storage."
  public static let usesStorage = true

  public struct Settings: PluginSettings {
    public init() {}
  }

  public init(_ settings: Settings, _ context: PluginContext) {}

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Replica {
    guard let storage = parts.storage else {
      throw SyncError(.invalidSettings, "the remote \(parts.name) requires a cloud storage; add `cloud = \"…\"`")
    }
    return StorageReplica(storage, parts)
  }
}
