internal import SyncKit

import class Foundation.FileManager

/// The git working tree that contains the store.
///
/// It belongs to the user: its branch, index, stash and hooks are never changed. While a git operation is in progress, the
/// files have an intermediate state, and nothing is synced.
struct WorkTree {
  private let root: String
  /// The repository's folder for this working tree.
  private let folder: String

  /// Finds the working tree that contains the folder at `path`; returns nil if there is none.
  init?(around path: String) {
    var root = path
    while true {
      if let folder = Self.repository(of: root) {
        (self.root, self.folder) = (root, folder)
        return
      }
      guard let slash = root.lastIndex(of: "/"), slash > root.startIndex else { return nil }
      root = String(root[..<slash])
    }
  }

  /// The repository's folder: `.git` is a folder, or a file that contains its path, as in submodules and linked working trees
  /// (gitrepository-layout(5)).
  private static func repository(of root: String) -> String? {
    let place = root + "/.git"
    if exists(place + "/HEAD") { return place }
    let prefix = "gitdir: "
    guard let text = text(at: place), text.hasPrefix(prefix), let line = text.split(whereSeparator: \.isNewline).first
    else {
      return nil
    }
    let path = String(line.dropFirst(prefix.count))
    return path.hasPrefix("/") ? path : root + "/" + path
  }

  /// The git operation in progress; nil if there is none.
  var operation: String? {
    let found = Self.signs.first { Self.exists("\(folder)/\($0.file)") }?.operation
    return found ?? (hasNoBranch ? "no branch is checked out" : nil)
  }

  /// The files that git creates during an operation, most specific first.
  private static let signs = [
    (file: "rebase-apply/applying", operation: "`git am` is in progress"),
    (file: "rebase-apply", operation: "a rebase is in progress"),
    (file: "rebase-merge", operation: "a rebase is in progress"),
    (file: "MERGE_HEAD", operation: "a merge is in progress"),
    (file: "CHERRY_PICK_HEAD", operation: "a cherry-pick is in progress"),
    (file: "REVERT_HEAD", operation: "a revert is in progress"),
    (file: "sequencer", operation: "a cherry-pick or revert is in progress"),
    (file: "BISECT_LOG", operation: "a bisect is in progress"),
    (file: "index.lock", operation: "a git command is running"),
  ]

  /// True on a detached HEAD: a user who checks out an old commit does not want to restore it. With Jujutsu beside git that is
  /// the normal state.
  private var hasNoBranch: Bool {
    guard let head = Self.text(at: folder + "/HEAD"), !Self.exists(root + "/.jj") else { return false }
    return !head.hasPrefix("ref: ")
  }

  /// The reason why the store cannot be synced now; nil if it can.
  static func obstacle(at path: String) -> String? {
    guard let tree = WorkTree(around: path), let operation = tree.operation else { return nil }
    return "\(operation) in the git work tree \(tree.root); syncd waits until it has finished"
  }

  private static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  private static func text(at path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0.prefix(4_096), as: UTF8.self) }
  }
}
