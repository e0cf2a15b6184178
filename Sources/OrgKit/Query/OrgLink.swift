/// The target of a link, without its brackets and description.
public struct OrgLink: Sendable, Hashable {
  /// The kind of a target.
  public enum Kind: Sendable, Hashable {
    /// An entry with this `ID`.
    case id(String)
    /// A file, and a place in it.
    case file(String, search: String?)
    /// A place in the same file.
    case search(String)
    /// A file of the entry's attachment folder.
    case attachment(String)
    /// Another scheme, such as `https`, for the browser or another program.
    case external(String)
  }

  /// The kind with its value.
  public let kind: Kind

  /// Parses `[[target][description]]`, `[[target]]` or a target alone. Abbreviations such as `bug:12` are replaced.
  ///
  /// - Parameter abbreviations: the replacements of `#+LINK:` lines; `%s` is the part behind the colon.
  public init(_ text: String, abbreviations: [String: String] = [:]) {
    var target = String(text.trimmedBlanks)
    if target.hasPrefix("[["), let end = target.range(behind: "]]") {
      let inner = String(target[target.index(target.startIndex, offsetBy: 2)..<target.index(end, offsetBy: -2)])
      target = inner.parts(between: "][")[0]
    }
    kind = Self.kind(of: Self.expanded(target, abbreviations))
  }

  private static func expanded(_ target: String, _ abbreviations: [String: String]) -> String {
    guard let colon = target.firstIndex(of: ":"), let replacement = abbreviations[String(target[..<colon])] else {
      return target
    }
    var tag = String(target[target.index(after: colon)...])
    if tag.hasPrefix(":") { tag.removeFirst() }
    let parts = replacement.parts(between: "%s")
    return parts.count > 1 ? parts.joined(separator: tag) : replacement + tag
  }

  private static func kind(of target: String) -> Kind {
    if target.hasPrefix("/") || target.hasPrefix("./") || target.hasPrefix("../") || target.hasPrefix("~/") {
      return file(target)
    }
    guard let colon = target.firstIndex(of: ":"), colon != target.startIndex,
      target[..<colon].allSatisfy({ $0.isLetter || $0.isNumber || "+-._".contains($0) }), target[colon...] != ":"
    else { return .search(target) }
    let rest = String(target[target.index(after: colon)...])
    switch target[..<colon].lowercased() {
    case "id": return .id(rest)
    case "file", "file+emacs", "file+sys": return file(rest)
    case "attachment": return .attachment(rest)
    case let scheme where known.contains(scheme) || rest.hasPrefix("//"): return .external(target)
    default: return .search(target)
    }
  }

  private static let known: Set<String> = [
    "http", "https", "ftp", "mailto", "tel", "geo", "news", "doi", "info", "man", "shell", "elisp", "help", "irc",
    "docview",
  ]

  private static func file(_ text: String) -> Kind {
    let parts = text.parts(between: "::")
    return .file(parts[0], search: parts.count > 1 ? parts.dropFirst().joined(separator: "::") : nil)
  }
}

extension OrgDocument {
  /// The abbreviations of links that the file declares by `#+LINK: name replacement`.
  public var linkAbbreviations: [String: String] {
    let pairs = settings("LINK").compactMap { line -> (String, String)? in
      let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { return nil }
      return (parts[0], String(parts[1].trimmedBlanks))
    }
    return Dictionary(pairs) { first, _ in first }
  }
}
