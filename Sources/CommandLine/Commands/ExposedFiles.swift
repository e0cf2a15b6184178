import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Files of this user that other users can read or change although they should not.
enum ExposedFiles {
  /// The secret keys that other users can read.
  static func readable(_ files: [String]) -> [Finding] {
    files.filter { facts(of: $0).map { $0.st_mode & 0o077 != 0 } ?? false }
      .map { Finding(.problem, "\($0) contains a secret key and other users can read it; run `chmod 600 \($0)`") }
  }

  /// The settings file and its folder, if other users can write to them or own them. Settings contain commands, so that such a user can
  /// run programs as this one.
  static func writable(_ settings: String) -> [Finding] {
    [settings, folder(of: settings)].compactMap { path in facts(of: path).flatMap { finding(path, $0) } }
  }

  private static func finding(_ path: String, _ facts: stat) -> Finding? {
    if facts.st_uid != geteuid(), facts.st_uid != 0 {
      return Finding(
        .problem,
        "\(path) belongs to another user, who can change what syncd runs; use settings in a folder of your own")
    }
    guard canBeWrittenByOthers(facts) else { return nil }
    return Finding(
      .problem, "other users can change \(path), which decides what syncd runs; run `chmod go-w \(path)`")
  }

  /// A group that is this user's own, as Debian creates one for each user, does not count. In a folder with the sticky bit, other
  /// users cannot replace a file.
  private static func canBeWrittenByOthers(_ facts: stat) -> Bool {
    if facts.st_mode & S_IFMT == S_IFDIR, facts.st_mode & S_ISVTX != 0 { return false }
    return facts.st_mode & S_IWOTH != 0 || facts.st_mode & S_IWGRP != 0 && facts.st_gid != getgid()
  }

  /// Returns the folder of a file whose path may be relative.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func facts(of path: String) -> stat? {
    var facts = stat()
    return unsafe stat(path, &facts) == 0 ? facts : nil
  }
}
