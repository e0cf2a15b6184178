import Foundation

/// How the service names things: composed, without regard to case, never absolute like `/`.
enum Names {
  private static let refused: Set<String> = [
    ".dropbox", ".dropbox.attr", ".dropbox.cache", "desktop.ini", "thumbs.db", ".ds_store", "icon\r",
  ]

  /// The path in the form in which it is stored.
  static func composed(_ path: String) -> String { path.precomposedStringWithCanonicalMapping }

  /// What two paths of one item have in common: `path_lower`.
  static func key(_ path: String) -> String { composed(path).lowercased() }

  static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }

  /// The folder that a path lies in; empty at the root.
  static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  /// Returns true if the path lies below the folder; directly, unless `deeply`.
  static func isInside(_ key: String, _ folder: String, deeply: Bool) -> Bool {
    let start = folder + "/"
    guard key.hasPrefix(start) else { return false }
    return deeply || !key.dropFirst(start.count).contains("/")
  }

  /// Refuses an invalid path, as text: such a call is a mistake of the calling program.
  static func check(_ path: String, mayBeRoot: Bool = false) throws(BadInput) {
    if path.isEmpty, mayBeRoot { return }
    if path.hasPrefix("id:") || path.hasPrefix("rev:") || path.hasPrefix("ns:") { return }
    if path == "/", mayBeRoot {
      throw BadInput("path: Specify the root folder as an empty string rather than as \"/\".")
    }
    guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.contains("//") else {
      throw BadInput("path: '\(path)' did not match pattern")
    }
  }

  /// Why nothing may be called so; nil if it may.
  static func objection(to path: String) -> String? {
    for part in path.split(separator: "/") {
      if refused.contains(part.lowercased()) { return "disallowed_name" }
      let isMalformed =
        part.hasSuffix(" ") || part.hasSuffix(".") || part.count > 255
        || part.unicodeScalars.contains { $0 == "\\" || $0 == "\u{7F}" || $0 == "\0" }
      if isMalformed { return "malformed_path" }
    }
    return nil
  }
}
