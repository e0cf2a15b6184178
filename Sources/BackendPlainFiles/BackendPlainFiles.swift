public import SyncKit

public let plugins: [any Plugin.Type] = [PlainFiles.self]

/// Syncs the store with a cloud storage file by file, under the same names: the usual choice.
public struct PlainFiles: SyncBackend {
  public static let id = "plain-files"
  public static let summary = "Keeps the same files under the same names in a cloud storage."
  public static let usesStorage = true

  public struct Settings: PluginSettings {
    public init() {}
  }

  public init(_ settings: Settings, _ context: PluginContext) {}

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Replica {
    guard let storage = parts.storage else {
      throw SyncError(
        .invalidSettings, "the remote \(parts.name) requires a cloud storage; add `cloud = \"folder\"` or another one")
    }
    return StorageReplica(storage, parts)
  }
}
