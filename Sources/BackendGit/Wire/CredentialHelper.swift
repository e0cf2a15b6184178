internal import Programs
internal import SyncKit

/// git's credential helpers (gitcredentials(7)): keyrings, stores and caches that the user has configured for git.
struct CredentialHelper: Sendable {
  let url: String
  /// The user name to ask for; empty for any.
  let user: String
  let variables: [String: String]

  private static let patience = Duration.seconds(30)

  struct Found: Hashable, Sendable {
    var user: String
    var password: String
  }

  /// Returns the helpers' credentials for the server; nil if they have none.
  func fill(_ stop: Stop) throws(SyncError) -> Found? {
    let lines = try ask("fill", "", stop).split(separator: "\n")
    let values = Dictionary(
      lines.compactMap { line in
        line.firstIndex(of: "=").map { (line[..<$0], String(line[line.index(after: $0)...])) }
      }, uniquingKeysWith: { $1 })
    guard let user = values["username"], let password = values["password"], !password.isEmpty else { return nil }
    return Found(user: user, password: password)
  }

  /// Reports to the helpers that their credentials are wrong.
  func reject(_ found: Found, _ stop: Stop) throws(SyncError) {
    _ = try ask("reject", "username=\(found.user)\npassword=\(found.password)\n", stop)
  }

  private func ask(_ verb: String, _ more: String, _ stop: Stop) throws(SyncError) -> String {
    let question = Array("url=\(url)\n\(user.isEmpty ? "" : "username=\(user)\n")\(more)\n".utf8)
    let answer = try Program.run(
      ["git", "credential", verb], variables: variables, input: question, patience: Self.patience, stop)
    return String(decoding: answer.bytes, as: UTF8.self)
  }
}
