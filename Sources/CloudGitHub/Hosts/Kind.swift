internal import CurlHTTP
public import SyncKit

extension GitHub {
  /// The kind of the server: which requests read a branch, and which make a commit.
  public enum Kind: String, Sendable, CaseIterable, SettingValue {
    /// github.com and Enterprise servers.
    case github
    /// Forgejo and Gitea, which have no requests that write objects.
    case forgejo
  }
}

extension GitHub.Kind {
  /// The name for people.
  var product: String {
    switch self {
    case .github: "GitHub"
    case .forgejo: "Forgejo"
    }
  }

  /// The end of each address of the API; nil if it differs.
  var apiPath: String? {
    switch self {
    case .github: nil
    case .forgejo: "/api/v1"
    }
  }

  func authorization(_ token: String) -> HTTPHeader {
    switch self {
    case .github: HTTPHeader("Authorization", "Bearer \(token)")
    case .forgejo: HTTPHeader("Authorization", "token \(token)")
    }
  }

  /// The headers of each request.
  var headers: [HTTPHeader] {
    switch self {
    case .github: [HTTPHeader("X-GitHub-Api-Version", "2022-11-28")]
    case .forgejo: []
    }
  }

  /// The default of the header `Accept`.
  var mediaType: String {
    switch self {
    case .github: "application/vnd.github+json"
    case .forgejo: "application/json"
    }
  }

  /// The largest answer: of GitHub, a tree with all folders below it, which it truncates at 7 MB; of Forgejo, the largest file in
  /// base64.
  var answerLimit: Int {
    switch self {
    case .github: 8 << 20
    case .forgejo: 16 << 20
    }
  }

  /// The size in bytes of the largest file that can be read; of Forgejo, its default `DEFAULT_MAX_BLOB_SIZE`.
  var largestFile: Int {
    switch self {
    case .github: 100_000_000
    case .forgejo: 10 << 20
    }
  }

  /// The rules of git, and of JSON. A commit of Forgejo takes paths of 500 characters.
  var naming: NamingRules {
    switch self {
    case .github: NamingRules(requiresUTF8: true, maximumPathLength: 4_096)
    case .forgejo: NamingRules(requiresUTF8: true, maximumPathLength: 500)
    }
  }

  /// The size of a batch. Forgejo gets one in a single request, which proxies limit, and starts several programs for each file before
  /// it answers.
  var commitLimit: CommitLimit {
    switch self {
    case .github: CommitLimit(count: 2_000, bytes: 30 << 20)
    case .forgejo: CommitLimit(count: 250, bytes: 8 << 20)
    }
  }

  /// The requests that read a repository.
  func api(_ service: Service) -> any RepositoryAPI {
    switch self {
    case .github: GitHubAPI(service: service)
    case .forgejo: ForgejoAPI(service: service)
    }
  }

  /// The requests that make a commit.
  func writer(_ storage: GitHubStorage) -> any BatchWriter {
    switch self {
    case .github: ObjectWriter(storage: storage)
    case .forgejo: ContentsWriter(storage: storage)
    }
  }
}
