internal import CPOSIX
import SyncDaemon
import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A merge tool by its name in git: the ones that git knows, and those of `mergetool.NAME.cmd` in the user's settings of git.
struct MergeTool: Sendable {
  let name: String

  /// The versions that the tool shows, and the name of the file.
  struct Versions: Sendable {
    var name: String
    var base: [UInt8]
    var local: [UInt8]
    var remote: [UInt8]
  }

  /// Lets git start the tool in the foreground, with its files in a new folder in `parent`. Returns the merged file; throws if the
  /// tool did not resolve the conflict.
  func merge(_ versions: Versions, in parent: String) throws(SyncError) -> [UInt8] {
    let folder = try Self.newFolder(in: parent)
    let files = Files(folder: folder, name: versions.name)
    defer { files.remove() }
    for (path, bytes) in [(files.base, versions.base), (files.local, versions.local), (files.remote, versions.remote)] {
      try LocalFile.writePrivately(bytes, to: path)
    }
    let status = run(files)
    guard status == 0 else { throw unresolved(versions.name, status) }
    let merged = try LocalFile.read(files.merged)
    guard !Self.hasMarkers(merged) else { throw unresolved(versions.name, status) }
    return merged
  }

  /// The functions of git-mergetool--lib(1), which git documents for scripts.
  private static let script = #"""
    TOOL_MODE=merge
    export LOCAL BASE REMOTE MERGED BACKUP
    library="$(git --exec-path)/git-mergetool--lib" && [ -r "$library" ] || exit 127
    . "$library"
    git merge-file -p -L ours -L base -L theirs "$LOCAL" "$BASE" "$REMOTE" >"$MERGED"
    cp -p "$MERGED" "$BACKUP"
    initialize_merge_tool "$TOOL" || exit 126
    run_merge_tool "$TOOL" true
    """#

  private func run(_ files: Files) -> Int32 {
    let variables = [
      ("TOOL", name), ("LOCAL", files.local), ("BASE", files.base), ("REMOTE", files.remote), ("MERGED", files.merged),
      ("BACKUP", files.backup),
    ]
    let assignments = variables.map { "\($0.0)=\(Self.quoted($0.1))\n" }.joined()
    // The terminal belongs to the tool until it ends.
    let status = unsafe system(assignments + Self.script)
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }

  static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: #"'\''"#))'" }

  private func unresolved(_ file: String, _ status: Int32) -> SyncError {
    switch status {
    case 126:
      SyncError(
        .notFound,
        "git cannot start the merge tool \(name); `git mergetool --tool-help` lists the tools that are installed")
    case 127: SyncError(.notFound, "--tool requires git; install it, or resolve the conflict with --merged FILE")
    case 0:
      SyncError(.pathFailed, "the merge tool left conflict markers in \(file); the conflict stays open")
    default:
      SyncError(
        .pathFailed, "the merge tool \(name) did not resolve \(file) (exit status \(status)); the conflict stays open")
    }
  }

  /// Returns true if a line is one of the markers that git writes here.
  static func hasMarkers(_ content: [UInt8]) -> Bool {
    content.split(separator: UInt8(ascii: "\n")).contains { line in
      line.elementsEqual("<<<<<<< ours".utf8) || line.elementsEqual(">>>>>>> theirs".utf8)
    }
  }

  static func newFolder(in parent: String) throws(SyncError) -> String {
    var template = Array("\(parent)/resolve-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else {
      throw SyncError(.pathFailed, "cannot create a folder in \(parent): \(unsafe String(cString: strerror(errno)))")
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The files of the tool, named as git names them.
  private struct Files {
    let folder: String
    let name: String

    var base: String { path("BASE") }
    var local: String { path("LOCAL") }
    var remote: String { path("REMOTE") }
    var backup: String { path("BACKUP") }
    var merged: String { "\(folder)/\(name)" }

    private func path(_ role: String) -> String {
      guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "\(folder)/\(name)_\(role)" }
      return "\(folder)/\(name[..<dot])_\(role)\(name[dot...])"
    }

    func remove() {
      for path in [base, local, remote, backup, merged] { unsafe unlink(path) }
      // A folder in which the tool has left files stays.
      unsafe rmdir(folder)
    }
  }
}
