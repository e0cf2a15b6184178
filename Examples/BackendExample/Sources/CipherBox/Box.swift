internal import Crypto
public import SyncKit

/// The plugins that this module adds to a program.
public let plugins: [any Plugin.Type] = [BoxEncryption.self]

/// Encrypts files with a key of 32 bytes, for a remote and for single files `NAME.box` of the store.
public struct BoxEncryption: FileSealing {
  public static let id = "box"
  public static let summary = "Encrypts with one key of 32 bytes that all devices have."
  public static let fileEnding = "box"

  public struct Settings: PluginSettings {
    @Setting("The key: 64 hexadecimal digits.") public var key: Secret? = nil

    public init() {}
  }

  private let settings: Settings

  public init(_ settings: Settings, _ context: PluginContext) { self.settings = settings }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Cipher { try await Self.cipher(settings) }

  public static func fileSealer(_ settings: Settings, _ runtime: Runtime) -> any FileSealer {
    BoxFiles { () throws(SyncError) in try await cipher(settings) }
  }

  private static func cipher(_ settings: Settings) async throws(SyncError) -> BoxCipher {
    guard let text = try? await settings.key?.reveal(), let key = BoxCipher(hexadecimal: text) else {
      throw SyncError(.unauthorized, "cannot read the key of box: it must have 64 hexadecimal digits")
    }
    return key
  }
}
