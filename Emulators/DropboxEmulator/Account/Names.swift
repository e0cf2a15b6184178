internal import EmulatorWire
import Foundation

/// The naming rules of the service: composed, ignoring case, the root is never `/`.
enum Names {
  private static let refused: Set<String> = [
    ".dropbox", ".dropbox.attr", ".dropbox.cache", "desktop.ini", "thumbs.db", ".ds_store", "icon\r",
  ]

  /// The path in its stored form.
  static func composed(_ path: String) -> String { path.precomposedStringWithCanonicalMapping }

  /// The key that all spellings of a path share: `path_lower`.
  static func key(_ path: String) -> String { composed(path).lowercased() }

  static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }

  /// The folder of a path; empty at the root.
  static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  /// Returns true if the path is in the folder; directly, unless `deeply`.
  static func isInside(_ key: String, _ folder: String, deeply: Bool) -> Bool {
    let start = folder + "/"
    guard key.hasPrefix(start) else { return false }
    return deeply || !key.dropFirst(start.count).contains("/")
  }

  /// Rejects an invalid path with a text: such a call is a mistake of the calling program.
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

  /// The reason why a name is invalid; nil if it is valid.
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
