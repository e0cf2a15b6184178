extension OrgSettings {
  /// The values of `#+TODO:` lines for files that declare none (org-todo-keywords); Org's default is `TODO | DONE`.
  public var todoLines: [String] {
    let usual = ["TODO | DONE"]
    guard let sequences = self["org-todo-keywords"]?.elements, !sequences.isEmpty else { return usual }
    // A list of strings without a type is one sequence.
    if sequences[0].text != nil { return [sequences.compactMap(\.text).joined(separator: " ")] }
    let lines = sequences.map { sequence in
      (sequence.elements ?? []).dropFirst().compactMap(\.text).joined(separator: " ")
    }
    return lines.contains { !$0.isEmpty } ? lines : usual
  }
}

extension OrgItem {
  /// The titles from the top level down to this entry as Org shows them: links by their descriptions, without statistics.
  public var outlinePath: [String] {
    path.indices.map { (comments.contains($0) ? "COMMENT " : "") + path[$0].withoutCookies }
  }
}

extension String {
  /// A title without statistics cookies, and with links replaced by their descriptions.
  fileprivate var withoutCookies: String { simplified(replacingLinks: true) }

  /// A title without statistics cookies.
  package var withoutStatistics: String { simplified(replacingLinks: false) }

  private func simplified(replacingLinks: Bool) -> String {
    guard contains("[") else { return self }
    var (result, rest) = ("", self[...])
    while let open = rest.firstIndex(of: "[") {
      result += rest[..<open]
      let behind = rest[rest.index(after: open)...]
      if replacingLinks, behind.first == "[", let end = behind.range(behind: "]]") {
        let parts = String(behind.dropFirst()[..<behind.index(end, offsetBy: -2)]).parts(between: "][")
        result += parts.last ?? ""
        rest = behind[end...]
      } else if let close = behind.firstIndex(of: "]"), behind[..<close].isCookie {
        rest = behind[behind.index(after: close)...]
      } else {
        result += "["
        rest = behind
      }
    }
    return String((result + rest).trimmedBlanks)
  }
}

extension Substring {
  /// True for the content of a cookie with numbers: `1/2`, `50%`.
  fileprivate var isCookie: Bool {
    if last == "%" { return count > 1 && dropLast().allSatisfy(\.isNumber) }
    let parts = split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isNumber) }
  }
}
