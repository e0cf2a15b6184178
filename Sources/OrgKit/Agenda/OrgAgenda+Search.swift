extension OrgAgenda {
  /// Returns the entries whose text has the words (org-search-view): a phrase, or words with `+` and `-`, `{patterns}` and
  /// `"phrases"`. A leading `*` searches headlines, `!` tasks that are not done, `:` whole words.
  public func search(_ text: String, onlyTasks: Bool = false) -> [OrgAgendaRow] {
    let search = TextSearch(text, isBoolean: settings.isOn("org-agenda-search-view-always-boolean"))
    let onlyTasks = onlyTasks || search.onlyTasks
    let rows = shownFiles().flatMap { items in
      items.filter {
        (!onlyTasks || $0.isOpenTask) && search.finds(in: search.onlyHeadlines ? firstLine(of: $0) : self.text($0))
      }
    }.map { item in
      var row = OrgAgendaRow(.search, item, settings, time: .headline)
      row.urgency = 1_000
      return row
    }
    let hint = "Press ‘[’, ‘]’ to add/sub word, ‘{’, ‘}’ to add/sub regexp, ‘C-u r’ for a fresh search"
    return [header("Search words: \(text)")] + (isBlock ? [] : [OrgAgendaRow(.line, heading: hint)])
      + sorted(rows, "search")
  }

  private func firstLine(of item: OrgItem) -> String {
    String(text(item).prefix { !$0.isNewline })
  }
}

/// The words of a search view.
struct TextSearch {
  private(set) var onlyHeadlines = false
  private(set) var onlyTasks = false
  private var wanted: [Words] = []
  private var excluded: [Words] = []

  /// Words or a pattern to find.
  private enum Words {
    case phrase([String])
    case whole(String)
    case pattern(EmacsPattern)
  }

  init(_ text: String, isBoolean always: Bool) {
    var rest = text[...]
    if rest.first == "*" { (onlyHeadlines, rest) = (true, rest.dropFirst()) }
    if rest.first == "!" { (onlyTasks, rest) = (true, rest.dropFirst()) }
    let isWhole = rest.first == ":"
    if isWhole { rest = rest.dropFirst() }
    guard always || rest.first.map({ "-+{".contains($0) }) ?? false else {
      let words = rest.split(separator: " ").map { $0.lowercased() }
      wanted = words.isEmpty ? [] : [.phrase(words)]
      return
    }
    while let (word, isWanted) = Self.word(&rest) {
      guard !word.isEmpty else { continue }
      let isPattern = word.hasPrefix("{") && word.hasSuffix("}")
      let pattern = isPattern ? EmacsPattern(String(word.dropFirst().dropLast())) : nil
      let words = pattern.map(Words.pattern) ?? (isWhole ? .whole(word.lowercased()) : .phrase([word.lowercased()]))
      if isWanted { wanted.append(words) } else { excluded.append(words) }
    }
  }

  /// Takes a word with its sign: `+word`, `-{pattern}`, `"two words"`.
  private static func word(_ rest: inout Substring) -> (String, Bool)? {
    rest = rest.drop { $0 == " " }
    guard let first = rest.first else { return nil }
    let isWanted = first != "-"
    if first == "-" || first == "+" { rest = rest.dropFirst() }
    let close: Character? = rest.first == "{" ? "}" : rest.first == "\"" ? "\"" : nil
    guard let close, let end = rest.dropFirst().firstIndex(of: close) else {
      let word = rest.prefix { $0 != " " }
      rest = rest[word.endIndex...]
      return (String(word), isWanted)
    }
    let word = rest[...end]
    rest = rest[rest.index(after: end)...]
    return (close == "\"" ? String(word.dropFirst().dropLast()) : String(word), isWanted)
  }

  /// Returns true if a text has all wanted words and no excluded one.
  func finds(in text: String) -> Bool {
    let lowercased = text.lowercased()
    let has = { (words: Words) -> Bool in
      switch words {
      case .phrase(let words): lowercased.hasPhrase(words)
      case .whole(let word): lowercased.hasWholeWord(word)
      case .pattern(let pattern): pattern.matches(text)
      }
    }
    return wanted.allSatisfy(has) && !excluded.contains(where: has)
  }
}

extension String {
  /// Returns true if the words follow each other, with any white space between.
  fileprivate func hasPhrase(_ words: [String]) -> Bool {
    guard words.count > 1 else { return words.first.map { range(behind: $0) != nil } ?? true }
    var rest = self[...]
    while let end = rest.range(behind: words[0]) {
      var place = Optional(end)
      for word in words.dropFirst() {
        place = place.flatMap { start in
          let blanks = rest[start...].prefix { $0.isWhitespace }
          return !blanks.isEmpty && rest[blanks.endIndex...].hasPrefix(word)
            ? rest.index(blanks.endIndex, offsetBy: word.count) : nil
        }
      }
      if place != nil { return true }
      rest = rest[end...]
    }
    return false
  }

  fileprivate func hasWholeWord(_ word: String) -> Bool {
    var rest = self[...]
    while let end = rest.range(behind: word) {
      let start = rest.index(end, offsetBy: -word.count)
      let isBegin = start == startIndex || !self[index(before: start)].isWordCharacter
      if isBegin, end == endIndex || !self[end].isWordCharacter { return true }
      rest = rest[end...]
    }
    return false
  }
}
