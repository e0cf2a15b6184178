public import CurlHTTP
internal import GitObjects
internal import HTTPStorage
public import SyncKit

public let plugins: [any Plugin.Type] = [GitHub.self]

/// A branch of a repository on GitHub, Forgejo or Gitea, through the API.
public struct GitHub: CloudStorage {
  public static let id = "github"
  public static let summary =
    "Keeps files in a branch on GitHub, Forgejo or Gitea through the API, where git cannot be used."

  public struct Settings: PluginSettings {
    @Setting("Repository, such as ann/notes.", .shareable) public var repository: String
    @Setting("Kind of the server: github, or forgejo for Forgejo and Gitea.", .shareable) public var kind = Kind.github
    @Setting("Branch. Default: the repository's default branch.", .shareable) public var branch: String? = nil
    @Setting("Create the branch from the default one if it is missing.", .shareable) public var createBranch = false
    @Setting(
      "Token that may write the repository, or the file that the command login writes.")
    public var token: Secret
    @Setting("Client ID of a GitHub App with device flow, for the command login.", .shareable)
    public var clientId: String? = nil
    @Setting("Program that stores the token; the command login writes it to the program's standard input.")
    public var tokenCommand: [String] = []
    @Setting("Author of the commits, `NAME <MAIL>`. Default: the owner of the token.") public var author: String? = nil
    @Setting(
      "API address: https://HOST/api/v1 of Forgejo, https://HOST/api/v3 of an Enterprise server. Default: github.com.",
      .shareable)
    public var apiUrl: URLText? = nil
    /// The connection to the server.
    public var http = HTTPSettings()
    @Setting("Maximum number of concurrent requests.", .shareable, .range(1...16)) public var connections = 8
    @Setting("Maximum number of files and folders in a listing.", .shareable, .range(1...10_000_000)) public
      var maxFiles = ListingLimit.defaultMaximum
    @Setting("Maximum size of a file. GitHub takes at most 100 MB, Forgejo returns at most 10 MiB.") public
      var maxFileSize = ByteSize.mebibytes(50)
    @Setting("Accept a rewritten history: the first digits of the commit to continue from. Nothing is deleted.")
    public var accept: String? = nil

    public init() {}

    public var contradictions: [String] {
      (Place(self) == nil
        ? [
          "`repository` must have the form OWNER/NAME, and `api-url` must be an http or https address"
            + (kind.apiPath.map { ", which `kind = \"\(kind.rawValue)\"` requires, and which ends in \($0)" } ?? "")
        ] : [])
        + (kind != .github && clientId != nil ? ["`client-id` requires `kind = \"github\"`"] : [])
        + (author.map { Identity($0) == nil } == true ? ["`author` must have the form `NAME <MAIL>`"] : [])
        + (createBranch && branch == nil ? ["`create-branch` requires `branch`"] : [])
        + (accept.map { $0.count < 10 || !$0.allSatisfy(\.isHexDigit) } == true
          ? ["`accept` must have at least 10 hexadecimal digits"] : [])
        + (maxFileSize.bytes > 100_000_000 ? ["`max-file-size` must be at most 100 MB"] : [])
    }
  }

  let settings: Settings
  private let context: PluginContext

  public init(_ settings: Settings, _ context: PluginContext) {
    self.settings = settings
    self.context = context
  }

  public func open(_ parts: RemoteParts) async throws(SyncError) -> any Storage {
    guard let place = Place(settings) else {
      throw SyncError(.invalidSettings, "`repository` or `api-url` of the remote \(parts.name) is invalid")
    }
    let service = Service(
      place, client, settings.token, remote: parts.name, runtime: parts.runtime, parallelism: settings.connections,
      signsIn: settings.clientId != nil)
    let known = try await BranchHistory.known(in: parts.journal, of: place)
    return GitHubStorage(service, parts: parts, settings: settings, origin: known?.origin?.short)
  }

  var client: HTTPClient {
    var access = HTTPClient.Configuration(userAgent: "syncd", settings.http)
    access.connections = settings.connections
    return HTTPClient(access)
  }

  /// The name of the remote whose settings table this is.
  var remote: String { context.remote(or: Self.id) }
}
