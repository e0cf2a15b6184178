public import SyncKit

public let plugins: [any Plugin.Type] = [Git.self]

/// Mirrors the store with a branch of a git repository: one commit for each pass that changes something.
public struct Git: SyncBackend {
  public static let id = "git"
  public static let summary = "Keeps the files in a branch of a git repository: a folder, ssh or https."
  public static let usesStorage = false
  public static var failpoints: [Failpoint] { GitFailpoint.all }

  public struct Settings: PluginSettings {
    @Setting("Address of the repository: a path, ssh://…, HOST:PATH or https://….") public var url: GitAddress
    @Setting("Branch; the one that a clone checks out if nothing is said, else `main`.") public var branch: String? =
      nil
    @Setting("In whose name commits are made, `NAME <MAIL>`; who git thinks you are if nothing is said.")
    public var author: String? = nil
    @Setting("Sign each commit off, as `git commit --signoff` does.") public var signOff = false
    @Setting("Sign each commit: none, openpgp or ssh, as `gpg.format` of git.") public var sign = Signing.none
    @Setting("The key to sign with: what gpg takes for one, or the file of a key for ssh.")
    public var signingKey: String? = nil
    @Setting("The program that signs; gpg or ssh-keygen if nothing is said.") public var signingProgram: String? = nil
    @Setting("How ssh is spoken: `libssh2`, `ssh-command` (the user's own ssh), or `auto`: what can do it.")
    public var transport = TransportChoice.auto
    @Setting("The program that runs ssh, with its first arguments, for the transport `ssh-command`.")
    public var sshCommand = ["ssh"]
    @Setting("File with the private key for ssh; what ssh itself would take if nothing is said.")
    public var identityFile: SettingPath? = nil
    @Setting("File with the keys of known hosts for ssh.") public var knownHosts: SettingPath? = nil
    @Setting("Passphrase of the private key, where it has one and no agent holds it.") public var passphrase: Secret? =
      nil
    @Setting("User name for https.") public var user = ""
    @Setting("Password or token for https; git's credential helpers are asked if nothing is said.")
    public var password: Secret? = nil
    @Setting("File with the certificates of authorities to trust besides, in PEM.") public var caFile: SettingPath? =
      nil
    @Setting("Proxy for https: an address, `none`, or nothing for what the environment says.") public var proxy = ""
    @Setting("Allow http, which anybody on the way can read, to other machines.") public var plainHttp = false
    @Setting("How long nothing may move before a transfer is given up.") public var timeout = Duration.seconds(60)
    @Setting("The first digits of a commit of a rewritten history to go on from; nothing is deleted then.")
    public var accept: String? = nil

    public init() {}

    public var contradictions: [String] {
      (author.map { Identity($0) == nil } == true ? ["`author` has to be written as `NAME <MAIL>`"] : [])
        + (sign == .ssh && signingKey == nil ? ["`sign = \"ssh\"` needs a `signing-key`"] : [])
        + (sshCommand.first?.isEmpty ?? true ? ["`ssh-command` needs a program"] : [])
        + (branch.map(Self.isNoBranch) == true ? ["`branch` is no name of a branch"] : [])
    }

    /// The rules of git-check-ref-format(1) that matter where a name is put into a message to the other side.
    private static func isNoBranch(_ name: String) -> Bool {
      name.isEmpty || name.hasPrefix("-") || name.hasPrefix("/") || name.hasSuffix("/") || name.hasSuffix(".lock")
        || name.contains("..") || name.contains("//") || name.contains("@{")
        || name.unicodeScalars.contains { $0.value <= 0x20 || "~^:?*[\\\u{7F}".unicodeScalars.contains($0) }
    }
  }

  /// How a commit is signed.
  public enum Signing: String, CaseIterable, SettingValue {
    case none, openpgp, ssh
  }

  /// Who speaks ssh.
  public enum TransportChoice: String, CaseIterable, SettingValue {
    case auto, libssh2
    case sshCommand = "ssh-command"
  }

  let settings: Settings
  let context: PluginContext

  public init(_ settings: Settings, _ context: PluginContext) {
    self.settings = settings
    self.context = context
  }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Replica {
    let place = MirrorPlace(parts.cache, parts.world)
    let choice = BranchChoice(named: settings.branch, folder: settings.url.place.folder)
    let mirror = Mirror(
      of: settings.url.text, by: try await transport(), choice, in: place, upkeep: Upkeep(variables: variables))
    let branches = BranchGuard(
      address: settings.url.text, journal: parts.journal, mayRemember: place.mayRemember, accepted: settings.accept)
    return GitReplica(mirror: mirror, branches: branches, author: author(on: parts.device, parts.world))
  }

  private func author(on device: Device, _ world: World) -> Author {
    let identity =
      settings.author.flatMap { Identity($0) } ?? Identity.ofUser(context.environment.variables)
      ?? Identity(name: "syncd on \(device.name)", mail: "syncd@\(device.name)")
    return Author(
      identity: identity, signsOff: settings.signOff, signer: signer, device: device.name, now: world.now)
  }
}
