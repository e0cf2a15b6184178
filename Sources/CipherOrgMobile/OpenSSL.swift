public import SyncKit

public let plugins: [any Plugin.Type] = [OpenSSL.self]

/// The encryption of org-mobile.el, compatible with `openssl enc -md md5 -aes-256-cbc -salt`, but without the program and
/// without the password in an argument list.
public struct OpenSSL: EncryptionBackend {
  public static let id = "openssl"
  public static let summary =
    "Encrypts files as Emacs' org-mobile does: one password, AES-256, no authentication."

  /// The format does not authenticate files.
  public static let sealsStorages = false

  public struct Settings: PluginSettings {
    @Setting("Password, the same as org-mobile-encryption-password in Emacs.") public var password: Secret
    public init() {}
  }

  private let settings: Settings

  public init(_ settings: Settings, _ context: PluginContext) { self.settings = settings }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Cipher {
    let password: String
    do { password = try await settings.password.reveal() } catch {
      throw SyncError(.unauthorized, "cannot read the password of the remote \(parts.name): \(error)")
    }
    guard !password.isEmpty else {
      throw SyncError(.unauthorized, "the password of the remote \(parts.name) is empty; set one")
    }
    return SaltedCipher(password: Array(password.utf8), random: parts.runtime.random)
  }
}
