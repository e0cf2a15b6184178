internal import SyncKit

/// The location of a branch: the API's address, the repository and the branch in the settings.
struct Place: Hashable, Sendable {
  /// The address of the API, without a slash at its end.
  var api = "https://api.github.com"
  /// `owner/name`.
  var repository: String
  /// The branch in the settings; nil for the default one.
  var branch: String?
  var kind: GitHub.Kind

  /// Returns nil if the repository or the address is invalid.
  init?(_ settings: GitHub.Settings) {
    let parts = settings.repository.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy(Self.isName) else { return nil }
    repository = settings.repository
    branch = settings.branch
    kind = settings.kind
    guard let url = settings.apiUrl else {
      // Only GitHub is one service.
      if kind == .github { return }
      return nil
    }
    guard url.scheme == "http" || url.scheme == "https" else { return nil }
    api = url.text.hasSuffix("/") ? String(url.text.dropLast()) : url.text
    guard kind.apiPath.map(api.hasSuffix) != false else { return nil }
  }

  private static func isName(_ part: Substring) -> Bool {
    !part.isEmpty && part != "." && part != ".."
      && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
  }

  /// The address of the pages for people, with the sign-in.
  var web: String {
    if host == "github.com" { return "https://github.com" }
    return api.hasSuffix(Self.enterprise) ? String(api.dropLast(Self.enterprise.count)) : api
  }

  /// The path of the API on an Enterprise server.
  private static let enterprise = "/api/v3"

  /// The host as people know it.
  var host: String {
    let rest = api.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true).dropFirst().first ?? ""
    let host = rest.prefix { $0 != "/" }
    return host == "api.github.com" ? "github.com" : String(host)
  }

  /// The name for messages and records.
  var address: String { "\(host)/\(repository)" + (branch.map { "#\($0)" } ?? "") }
}
