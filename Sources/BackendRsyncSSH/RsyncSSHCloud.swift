public import SyncKit

/// The same folder as a cloud storage, for features that need one, such as encryption and org-mobile.
public struct RsyncSSHCloud: CloudStorage {
  public typealias Settings = RsyncSSH.Settings

  public static let id = RsyncSSH.id
  public static let summary = "Keeps files in a folder of a host with sshd and rsync; for encryption and org-mobile."
  public static var failpoints: [Failpoint] { RsyncSSH.failpoints }

  private let backend: RsyncSSH

  public init(_ settings: Settings, _ context: PluginContext) { backend = RsyncSSH(settings, context) }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Storage { try await backend.storage(parts) }
}
