#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Compares the names of folders.
package enum FolderNames {
  /// Returns true if two absolute paths are the same folder, or one is inside the other, after resolving links.
  static func overlap(_ a: String, _ b: String) -> Bool {
    let (first, second) = (parts(of: resolved(a)), parts(of: resolved(b)))
    return first.starts(with: second) || second.starts(with: first)
  }

  /// Returns true if a path overlaps one of several.
  static func overlap(_ path: String, anyOf others: [String]?) -> Bool {
    others?.contains { overlap(path, $0) } ?? false
  }

  /// Returns the path with links and `..` resolved, as far as it exists.
  package static func resolved(_ path: String) -> String {
    if let real = unsafe realpath(path, nil) {
      defer { unsafe free(real) }
      return unsafe String(cString: real)
    }
    var parts = parts(of: path)
    guard let name = parts.popLast() else { return path }
    return resolved("/" + parts.joined(separator: "/")) + "/" + name
  }

  private static func parts(of path: String) -> [Substring] {
    path.split(separator: "/").reduce(into: []) { parts, part in
      switch part {
      case ".": break
      case "..": _ = parts.popLast()
      default: parts.append(part)
      }
    }
  }
}
