package import SyncKit

/// A selection of files on a command line: the path of a file or folder in the store, or a pattern in git's syntax.
package struct PathChoice: Sendable {
  private let text: String
  private let glob: GlobPattern?

  package init(_ text: String) {
    self.text = text
    glob = GlobPattern(line: EscapedText.bytes(of: text))
  }

  package func matches(_ path: SyncPath) -> Bool {
    // A name may contain the special characters of a pattern.
    if path.description == text { return true }
    guard let glob, !glob.isNegated else { return false }
    return glob.matches(path.bytes, isFolder: false)
      || path.ancestors.contains { glob.matches($0.bytes, isFolder: true) }
  }
}
