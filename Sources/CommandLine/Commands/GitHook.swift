import SyncDaemon
import SyncKit

/// One hook of a git repository, in any language. A command cannot be appended to it, because it may not be reached after an
/// `exit` or an `exec`, and would run too early if it were prepended. So the hook is kept beside a new one, which runs it with
/// git's arguments and input, then the command, and exits with the hook's status.
struct GitHook {
  let path: String

  private static let suffix = ".before-syncd"
  private static let head = "#!/bin/sh\n"
  private static let marks = (begin: "# >>> syncd >>>\n", end: "# <<< syncd <<<\n")

  private var kept: String { path + Self.suffix }

  /// Makes the hook run `command`, and replaces an earlier one. Returns a notice for the user.
  func install(_ command: String) throws(SyncError) -> String? {
    let former = try ownText()
    if former == nil, LocalFile.exists(path) { try keep(command) }
    let text = Self.head + Self.block(command) + (former.map(Self.rest) ?? "")
    try LocalFile.write(Array(text.utf8), to: path)
    try LocalFile.makeExecutable(path)
    guard LocalFile.exists(kept), !LocalFile.isExecutable(kept) else { return nil }
    return "the previous hook \(kept) is not executable and stays disabled"
  }

  /// Restores the previous hook; returns true if there was anything to remove.
  func uninstall() throws(SyncError) -> Bool {
    guard let text = try ownText() else { return false }
    let rest = Self.rest(of: text)
    guard rest.isEmpty else {
      if LocalFile.exists(kept) {
        throw SyncError(
          .pathFailed,
          "cannot restore the previous hook: \(path) has lines that syncd did not write; move them to \(kept)")
      }
      try LocalFile.write(Array((Self.head + rest).utf8), to: path)
      return true
    }
    try LocalFile.remove(path)
    if LocalFile.exists(kept) { try LocalFile.move(kept, to: path) }
    return true
  }

  private func keep(_ command: String) throws(SyncError) {
    if let target = LocalFile.linkTarget(path) {
      throw SyncError(
        .pathFailed,
        "cannot install the hook: \(path) is a link to \(target); add this command to that file: \(command)")
    }
    try LocalFile.move(path, to: kept)
    // Husky runs the hooks in its folder with a shell, whether they are executable or not.
    if path.contains("/.husky/") { try LocalFile.makeExecutable(kept) }
  }

  /// Returns the hook's text if it is one of ours, otherwise nil.
  private func ownText() throws(SyncError) -> String? {
    guard LocalFile.exists(path), LocalFile.linkTarget(path) == nil else { return nil }
    let text = String(decoding: try LocalFile.read(path), as: UTF8.self)
    return text.hasPrefix(Self.head + Self.marks.begin) ? text : nil
  }

  private static func block(_ command: String) -> String {
    """
    \(marks.begin)# The previous hook is in "$0\(suffix)" and runs first.
    status=0
    if [ -x "$0\(suffix)" ]; then "$0\(suffix)" "$@" || status=$?; fi
    \(command)
    (exit $status)
    \(marks.end)
    """
  }

  /// Returns the text that others have appended to our lines.
  private static func rest(of text: String) -> String {
    guard let end = text.firstRange(of: marks.end) else { return "" }
    return String(text[end.upperBound...])
  }
}
