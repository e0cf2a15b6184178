public import SyncKit

public let plugins: [any Plugin.Type] = [Age.self]

/// Seals everything in the age format (age-encryption.org/v1), so that the program `age` opens it.
public struct Age: EncryptionBackend, FileSealing {
  public static let id = "age"
  public static let summary =
    "Seals files so that the program age opens them: with keys of age-keygen, or a passphrase."

  public struct Settings: PluginSettings {
    @Setting("Everybody who can open the files: public keys (age1…) as age-keygen -y tells them.")
    public var recipients: [String] = []
    @Setting("The file with your secret key, as age-keygen writes it; it may be sealed with the passphrase.")
    public var identityFile: SettingPath? = nil
    @Setting("A passphrase in place of keys, or the one that the identity file is sealed with.")
    public var passphrase: Secret? = nil
    @Setting("Whether the names of files and folders are sealed too.") public var hideNames = false
    public init() {}

    public var contradictions: [String] { Recipient.contradictions(in: recipients) + missing }

    private var missing: [String] {
      switch (recipients.isEmpty, identityFile, passphrase) {
      case (true, nil, nil): ["`recipients` and `identity-file` are needed, or a `passphrase`"]
      case (true, .some, _): ["`recipients` is needed: the public keys of everybody who can open the files"]
      case (false, nil, _): ["`identity-file` is needed: the file with the secret key of this device"]
      default: []
      }
    }
  }

  public struct FileSettings: PluginSettings {
    @Setting("Everybody for whom your files are sealed besides you: public keys (age1…) as age-keygen -y tells them.")
    public var recipients: [String] = []
    @Setting("The file with your secret key, as age-keygen writes it; it may be sealed with the passphrase.")
    public var identityFile: SettingPath? = nil
    @Setting("The passphrase that your files are sealed with, or your identity file.")
    public var passphrase: Secret? = nil
    public init() {}

    public var contradictions: [String] { Recipient.contradictions(in: recipients) }
  }

  public static let fileEnding = ".age"

  public static func fileSealer(_ settings: FileSettings, _ world: World) -> any FileSealer {
    AgeFiles(settings: settings, random: world.random)
  }

  private let settings: Settings

  public init(_ settings: Settings, _ context: PluginContext) { self.settings = settings }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Cipher {
    let source = KeySource(passphrase: settings.passphrase, owner: "the remote \(parts.name) ")
    var cipher = AgeCipher(keys: try await source.keys(for: settings), random: parts.world.random)
    cipher.hidesNames = settings.hideNames
    return cipher
  }
}

extension Recipient {
  /// What is wrong with public keys in the settings.
  fileprivate static func contradictions(in texts: [String]) -> [String] {
    texts.filter { Recipient($0) == nil }.map {
      "\"\($0)\" in `recipients` is no public key of age, which begins with age1"
    }
  }
}
