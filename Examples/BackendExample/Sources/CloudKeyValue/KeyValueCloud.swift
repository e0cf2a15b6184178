public import SyncKit

/// The plugins that this module adds to a program.
public let plugins: [any Plugin.Type] = [KeyValueCloud.self]

/// Keeps files in a key-value store over HTTP.
public struct KeyValueCloud: CloudStorage {
  public static let id = "key-value"
  public static let summary = "Keeps files in a key-value store that speaks HTTP."

  public struct Settings: PluginSettings {
    @Setting("Address of the store, https://…") public var url: URLText
    @Setting("Token of the account.") public var token: Secret

    public init() {}
  }

  private let settings: Settings

  public init(_ settings: Settings, _ context: PluginContext) { self.settings = settings }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Storage {
    let token: String
    do { token = try await settings.token.reveal() } catch {
      throw SyncError(.unauthorized, "cannot read the token of \(settings.url.text): \(error)")
    }
    let store = KeyValueStore(address: settings.url.text, token: token)
    return FileServiceStorage(ObjectFiles(store, parts))
  }
}
