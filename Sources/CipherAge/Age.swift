public import SyncKit

public let plugins: [any Plugin.Type] = [Age.self]

/// Encrypts everything in the age format (age-encryption.org/v1), so that the program `age` can decrypt it.
public struct Age: EncryptionBackend, FileSealing {
  public static let id = "age"
  public static let summary =
    "Encrypts files with age: with keys from age-keygen, or with a passphrase."

  public struct Settings: PluginSettings {
    @Setting(
      "Recipients who can decrypt the files: public keys (age1…), as age-keygen -y prints them.", .shareable, .asked)
    public var recipients: [String] = []
    @Setting(
      "Identity file with your secret key, as age-keygen writes it; it may be encrypted with the passphrase.",
      .privateFile, .asked)
    public var identityFile: SettingPath? = nil
    @Setting("Passphrase instead of keys, or the passphrase of the identity file.", .asked)
    public var passphrase: Secret? = nil
    @Setting("Also encrypt the names of files and folders.", .shareable) public var hideNames = false
    public init() {}

    public var contradictions: [String] { Recipient.contradictions(in: recipients) + missing }

    private var missing: [String] {
      switch (recipients.isEmpty, identityFile, passphrase) {
      case (true, nil, nil): ["set `recipients` and `identity-file`, or `passphrase`"]
      case (true, .some, _): ["set `recipients`: the public keys of all recipients"]
      case (false, nil, _): ["set `identity-file`: the file with the secret key of this device"]
      default: []
      }
    }
  }

  public struct FileSettings: PluginSettings {
    @Setting("Recipients of your files in addition to you: public keys (age1…), as age-keygen -y prints them.")
    public var recipients: [String] = []
    @Setting(
      "Identity file with your secret key, as age-keygen writes it; it may be encrypted with the passphrase.",
      .privateFile)
    public var identityFile: SettingPath? = nil
    @Setting("Passphrase of your files, or of the identity file.")
    public var passphrase: Secret? = nil
    public init() {}

    public var contradictions: [String] { Recipient.contradictions(in: recipients) }
  }

  public static let fileEnding = ".age"

  public static func fileSealer(_ settings: FileSettings, _ runtime: Runtime) -> any FileSealer {
    AgeFiles(settings: settings, random: runtime.random)
  }

  private let settings: Settings

  public init(_ settings: Settings, _ context: PluginContext) { self.settings = settings }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Cipher {
    let source = KeySource(passphrase: settings.passphrase, owner: "the remote \(parts.name) ")
    var cipher = AgeCipher(keys: try await source.keys(for: settings), random: parts.runtime.random)
    cipher.hidesNames = settings.hideNames
    return cipher
  }
}

extension Recipient {
  /// Returns the errors of public keys in the settings.
  fileprivate static func contradictions(in texts: [String]) -> [String] {
    texts.filter { Recipient($0) == nil }.map {
      "\"\($0)\" in `recipients` is not a public key of age, which begins with age1"
    }
  }
}
