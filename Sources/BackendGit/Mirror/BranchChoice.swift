import class Foundation.FileManager

/// Selects the branch to sync.
struct BranchChoice: Sendable {
  /// The branch in the settings.
  var named: String?
  /// The repository's folder if it is on this machine: an empty repository does not report over the wire how its first branch
  /// will be named.
  var folder: String?

  /// Returns the branch in the settings, else the one that a clone checks out, else the only one, else `main`.
  func name(in branches: Connection.Branches) -> String {
    if let named { return named }
    if let head = branches.head { return head }
    if branches.tips.count == 1, let only = branches.tips.keys.first { return only }
    if branches.tips["main"] == nil, branches.tips["master"] != nil { return "master" }
    return (branches.tips.isEmpty ? unborn : nil) ?? "main"
  }

  private var unborn: String? {
    guard let folder else { return nil }
    let head = ["/HEAD", "/.git/HEAD"].lazy.compactMap { FileManager.default.contents(atPath: folder + $0) }.first
    let text = String(decoding: (head ?? .init()).prefix(1_024), as: UTF8.self)
    let prefix = "ref: refs/heads/"
    guard text.hasPrefix(prefix) else { return nil }
    return text.dropFirst(prefix.count).split(whereSeparator: \.isNewline).first.map(String.init)
  }
}
