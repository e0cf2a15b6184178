public import SyncKit

public let plugins: [any Plugin.Type] = [GPG.self]

/// Encrypts everything as OpenPGP, readable by `gpg` and Emacs, with the keys and the agent of this machine.
public struct GPG: EncryptionBackend, FileSealing {
  public static let id = "gpg"
  public static let summary =
    "Encrypts files with GnuPG: with OpenPGP keys and the agent of this machine."

  public struct Settings: PluginSettings {
    @Setting("Recipients who can decrypt the files: fingerprints, or addresses that only one key has.", .shareable)
    public var recipients: [String]
    @Setting("GnuPG home folder. Default: as in gpg.") public var homedir: SettingPath? = nil
    public init() {}

    public var contradictions: [String] {
      recipients.isEmpty ? ["set `recipients`: the fingerprints of all recipients"] : []
    }
  }

  public struct FileSettings: PluginSettings {
    @Setting("GnuPG home folder. Default: as in gpg.") public var homedir: SettingPath? = nil
    public init() {}
  }

  public static let fileEnding = ".gpg"

  public static func fileSealer(_ settings: FileSettings, _ runtime: Runtime) -> any FileSealer {
    GPGFiles(keyring: Keyring(homedir: settings.homedir?.path), sleep: runtime.sleep)
  }

  private let settings: Settings

  public init(_ settings: Settings, _ context: PluginContext) { self.settings = settings }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Cipher {
    let keyring = Keyring(homedir: settings.homedir?.path)
    var fingerprints: [String] = []
    do throws(Complaint) {
      for recipient in settings.recipients { fingerprints.append(try keyring.fingerprint(of: recipient)) }
      guard try keyring.holdsSecret(ofOne: fingerprints) else {
        throw Complaint("none of the recipients has a secret key here, so this device could not decrypt its own files")
      }
    } catch {
      throw SyncError(.unauthorized, "cannot encrypt the remote \(parts.name): \(error.reason)")
    }
    return GPGCipher(keyring: keyring, recipients: fingerprints, sleep: parts.runtime.sleep)
  }
}
