public import CurlHTTP
internal import GitObjects
public import SSHConnection
public import SyncKit

public let plugins: [any Plugin.Type] = [Git.self]

/// Syncs the store with a branch of a git repository: one commit for each pass that changes something.
public struct Git: SyncBackend {
  public static let id = "git"
  public static let summary = "Keeps the files in a branch of a git repository, in a folder or over ssh or https."
  public static let usesStorage = false
  public static let keepsFormerVersions = true
  public static var failpoints: [Failpoint] { GitFailpoint.all }

  public struct Settings: PluginSettings {
    @Setting("Address of the repository: a path, ssh://…, HOST:PATH or https://…", .shareable) public var url:
      GitAddress
    @Setting("Branch. Default: the one that a clone checks out, else `main`.", .shareable) public var branch: String? =
      nil
    @Setting("Author of the commits, `NAME <MAIL>`. Default: `user.name` and `user.email` of git.")
    public var author: String? = nil
    @Setting("Add a sign-off to each commit, as `git commit --signoff` does.") public var signOff = false
    @Setting("Sign each commit: none, openpgp or ssh, as `gpg.format` in git.") public var sign = Signing.none
    @Setting("Signing key: a key ID for gpg, or a key file for ssh.")
    public var signingKey: String? = nil
    @Setting("Signing program. Default: gpg or ssh-keygen.") public var signingProgram: String? = nil
    /// The ssh connection to the host.
    public var ssh = SSHSettings()
    @Setting("User name for https.", .shareable) public var user = ""
    @Setting("Password or token for https. Default: ask git's credential helpers.")
    public var password: Secret? = nil
    /// The https connection to the server. Its timeout applies to every transfer.
    public var http = HTTPSettings()
    @Setting("Maximum size of a file. git reads a file into memory as a whole.") public var maxFileSize =
      ByteSize.mebibytes(256)
    @Setting("Maximum size of the packed commits and files that one sync receives; all of them the first time.")
    public var maxFetch = ByteSize.mebibytes(4_096)
    @Setting("Accept a rewritten history: the first digits of the commit to continue from. Nothing is deleted.")
    public var accept: String? = nil

    public init() {}

    public var contradictions: [String] {
      (author.map { Identity($0) == nil } == true ? ["`author` must have the form `NAME <MAIL>`"] : [])
        + [http.refusal(of: url.text, in: "url")].compactMap(\.self)
        + (sign == .ssh && signingKey == nil ? ["`sign = \"ssh\"` needs a `signing-key`"] : [])
        + (branch.map(Self.isNoBranch) == true ? ["`branch` is not a valid branch name"] : [])
    }

    /// Checks the rules of git-check-ref-format(1) that matter for a name in a message to the server.
    private static func isNoBranch(_ name: String) -> Bool {
      name.isEmpty || name.hasPrefix("-") || name.hasPrefix("/") || name.hasSuffix("/") || name.hasSuffix(".lock")
        || name.contains("..") || name.contains("//") || name.contains("@{")
        || name.unicodeScalars.contains { $0.value <= 0x20 || "~^:?*[\\\u{7F}".unicodeScalars.contains($0) }
    }
  }

  /// The kind of signature on commits.
  public enum Signing: String, CaseIterable, SettingValue {
    case none, openpgp, ssh
  }

  let settings: Settings
  let context: PluginContext

  public init(_ settings: Settings, _ context: PluginContext) {
    self.settings = settings
    self.context = context
  }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Replica {
    let folder = MirrorFolder(parts.cache, parts.runtime)
    let choice = BranchChoice(named: settings.branch, folder: settings.url.location.folder)
    let mirror = Mirror(
      of: settings.url.text, by: try await transport().limited(to: parts.traffic, parts.runtime), choice, in: folder,
      largestFile: settings.maxFileSize.bytes, largestFetch: settings.maxFetch.bytes,
      upkeep: Upkeep(variables: variables),
      head: BareHead(folder: settings.url.location.folder, variables: variables))
    let branches = BranchGuard(
      address: settings.url.text, journal: parts.journal, mayRemember: folder.mayRemember, accepted: settings.accept)
    return GitReplica(mirror: mirror, branches: branches, author: author(on: parts.device, parts.runtime))
  }

  private func author(on device: Device, _ runtime: Runtime) -> Author {
    let identity =
      settings.author.flatMap { Identity($0) } ?? Identity.ofUser(context.environment.variables)
      ?? Identity(name: "syncd on \(device.name)", mail: "syncd@\(device.name)")
    return Author(
      identity: identity, signsOff: settings.signOff, signer: signer, device: device.name, now: runtime.now)
  }
}
