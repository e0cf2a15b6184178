import class Foundation.FileManager

/// Which branch of the repository is mirrored.
struct BranchChoice: Sendable {
  /// The one that the settings name.
  var named: String?
  /// Where the repository is on this machine, if it is: one without commits does not say over the wire what its first
  /// branch is to be called.
  var folder: String?

  /// The branch: the one that was named, else the one that a clone checks out, else `main`.
  func name(in branches: Connection.Branches) -> String {
    if let named { return named }
    if let head = branches.head { return head }
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
