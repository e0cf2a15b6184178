public import SyncKit

public let plugins: [any Plugin.Type] = [GPG.self]

/// Seals everything as OpenPGP, so that `gpg` and Emacs open it, with the keys and the agent of this machine.
public struct GPG: EncryptionBackend, FileSealing {
  public static let id = "gpg"
  public static let summary =
    "Seals files so that gpg and Emacs open them: with OpenPGP keys and the agent of this machine."

  public struct Settings: PluginSettings {
    @Setting("Everybody who can open the files: fingerprints, or addresses that only one key has.")
    public var recipients: [String]
    @Setting("The folder of the keyrings, if not gpg's usual one.") public var homedir: SettingPath? = nil
    public init() {}

    public var contradictions: [String] {
      recipients.isEmpty ? ["`recipients` is needed: fingerprints of everybody who can open the files"] : []
    }
  }

  public struct FileSettings: PluginSettings {
    @Setting("The folder of the keyrings, if not gpg's usual one.") public var homedir: SettingPath? = nil
    public init() {}
  }

  public static let fileEnding = ".gpg"

  public static func fileSealer(_ settings: FileSettings, _ world: World) -> any FileSealer {
    GPGFiles(keyring: Keyring(homedir: settings.homedir?.path), sleep: world.sleep)
  }

  private let settings: Settings

  public init(_ settings: Settings, _ context: PluginContext) { self.settings = settings }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Cipher {
    let keyring = Keyring(homedir: settings.homedir?.path)
    var fingerprints: [String] = []
    do throws(Complaint) {
      for recipient in settings.recipients { fingerprints.append(try keyring.fingerprint(of: recipient)) }
      guard try keyring.holdsSecret(ofOne: fingerprints) else {
        throw Complaint("none of the recipients has a secret key here, so nothing that is sealed could be read again")
      }
    } catch {
      throw SyncError(.unauthorized, "the remote \(parts.name) cannot be sealed: \(error.reason)")
    }
    return GPGCipher(keyring: keyring, recipients: fingerprints, sleep: parts.world.sleep)
  }
}
