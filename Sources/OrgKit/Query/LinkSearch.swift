/// Finds the place in a file that the search part of a link names (org-link-search).
struct LinkSearch {
  private let document: OrgDocument
  private let lines: [Bytes]

  init(_ document: OrgDocument) {
    self.document = document
    lines = Array(document.bytes[...].splitLines)
  }

  /// Returns the line, counted from 1; nil if there is none.
  func line(of search: String) -> Int? {
    if search.isEmpty { return 1 }
    if search.allSatisfy(\.isNumber), let number = Int(search) { return min(max(number, 1), lines.count + 1) }
    if search.hasPrefix("#") {
      return entry { $0[property: "CUSTOM_ID"]?.lowercased() == search.dropFirst().lowercased() }
    }
    if search.hasPrefix("*") { return headline(String(search.dropFirst())) }
    if search.hasPrefix("("), search.hasSuffix(")") { return reference(String(search.dropFirst().dropLast())) }
    return target(search) ?? name(search) ?? headline(search)
  }

  /// Returns the text of a line.
  func text(_ line: Int) -> String {
    line > 0 && line <= lines.count ? lines[line - 1].trimmedRight.string : ""
  }

  private func entry(where isWanted: (OrgItem) -> Bool) -> Int? {
    OrgItems(document, file: "").first(where: isWanted)?.line
  }

  /// A headline with these words, with any white space between them; statistics do not count.
  private func headline(_ title: String) -> Int? {
    let words = title.split(whereSeparator: \.isWhitespace)
    return entry { $0.title.withoutStatistics.split(whereSeparator: \.isWhitespace) == words }
  }

  /// A dedicated target `<<text>>` or radio target.
  private func target(_ text: String) -> Int? {
    let words = Self.words(text)
    return place { line in
      guard line.contains(UInt8(ascii: "<")), let start = line.string.range(behind: "<<") else { return false }
      let rest = line.string[start...].drop { $0 == "<" }
      guard let end = rest.range(behind: ">>") else { return false }
      return Self.words(String(rest[..<rest.index(end, offsetBy: -2)])) == words
    }
  }

  private func name(_ text: String) -> Int? {
    place { line in
      guard let keyword = KeywordLine(line), keyword.key.equals(ignoringCase: "name") else { return false }
      return keyword.value.string.split(whereSeparator: \.isWhitespace) == text.split(whereSeparator: \.isWhitespace)
    }
  }

  /// A line of a source block with `(ref:label)`.
  private func reference(_ label: String) -> Int? {
    place { $0.string.range(behind: "(ref:\(label))") != nil }
  }

  private func place(where isWanted: (Bytes) -> Bool) -> Int? {
    lines.firstIndex(where: isWanted).map { $0 + 1 }
  }

  private static func words(_ text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).map { $0.lowercased() }
  }
}

extension Bytes {
  /// The lines without their line feeds.
  var splitLines: [Bytes] {
    var (lines, rest) = ([Bytes](), self)
    while !rest.isEmpty {
      lines.append(rest.firstLine)
      rest = rest.withoutFirstLine
    }
    return lines
  }
}

extension OrgFolder {
  /// The place that a link leads to.
  public struct LinkTarget: Sendable, Hashable {
    /// The path of the file, relative to the folder.
    public var file: String
    /// The line, counted from 1.
    public var line: Int
    /// The text of the line.
    public var text: String
  }

  /// Returns the place that a link in a file leads to. Links to other programs and missing targets are refused.
  public func target(of link: OrgLink, from file: String) throws(Refusal) -> LinkTarget {
    switch link.kind {
    case .id(let id):
      guard let item = items.joined().first(where: { $0.id == id }) else {
        throw Refusal(.notFound, "no entry has the ID \(id)")
      }
      return try place("", in: item.file, line: item.line)
    case .search(let search): return try place(search, in: file)
    case .file(let path, let search): return try place(search ?? "", in: relative(path, to: file))
    case .attachment(let name):
      throw Refusal(.needsEmacs, "The attachment \(name) is a file; open it with the program for its type")
    case .external(let url): throw Refusal(.needsEmacs, "\(url) leads out of the notes; open it with a browser")
    }
  }

  private func place(_ search: String, in file: String, line: Int? = nil) throws(Refusal) -> LinkTarget {
    guard let document = document(file) else { throw Refusal(.notFound, "file \(file) not found") }
    let finder = LinkSearch(document)
    guard let line = line ?? finder.line(of: search) else {
      throw Refusal(.notFound, "\(file) has neither a target, a name nor a headline \"\(search)\"")
    }
    return LinkTarget(file: file, line: line, text: finder.text(line))
  }

  private func relative(_ path: String, to file: String) -> String {
    var parts = path.hasPrefix("/") ? [] : file.split(separator: "/").dropLast().map(String.init)
    for part in path.split(separator: "/") where part != "." {
      if part == "..", !parts.isEmpty { parts.removeLast() } else { parts.append(String(part)) }
    }
    return parts.joined(separator: "/")
  }
}
