/// A selection of entries by tags and states, in the syntax of Org's tag matches: `work+urgent-boss|home/TODO|NEXT`.
///
/// Tags come before the slash, states after it; `|` is or, `+` or `&` and, `-` not. `/!` selects open tasks only. Inherited
/// tags count. Properties and regular expressions are not supported.
public struct OrgMatch: Sendable, Hashable {
  private let tags: [[Term]]
  private let states: [[Term]]
  private let isForOpenTasks: Bool

  /// A tag or state that is required or excluded.
  private struct Term: Hashable {
    var text: String
    var isWanted: Bool
  }

  /// Parses a match; returns nil if it is empty, or contains anything except tags and states.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let behind = parts.count > 1 ? parts[1] : ""
    isForOpenTasks = behind.first == "!"
    guard let tags = Self.alternatives(parts.first ?? "", isTag: true),
      let states = Self.alternatives(isForOpenTasks ? behind.dropFirst() : behind, isTag: false),
      !tags.isEmpty || !states.isEmpty || isForOpenTasks
    else { return nil }
    (self.tags, self.states) = (tags, states)
  }

  /// Returns true if an entry is selected.
  public func selects(_ entry: OrgEntry) -> Bool {
    if isForOpenTasks, entry.keyword == nil || entry.isDone { return false }
    let keyword = entry.keyword.map { [$0] } ?? []
    return Self.holds(states, of: keyword) && (tags.isEmpty || Self.holds(tags, of: entry.allTags))
  }

  private static func holds(_ alternatives: [[Term]], of words: [String]) -> Bool {
    alternatives.isEmpty || alternatives.contains { $0.allSatisfy { words.contains($0.text) == $0.isWanted } }
  }

  /// Returns nil if there is anything except words, signs and bars; an empty array for an empty text.
  private static func alternatives(_ text: Substring, isTag: Bool) -> [[Term]]? {
    if text.isEmpty { return [] }
    var alternatives: [[Term]] = []
    for term in text.split(separator: "|", omittingEmptySubsequences: false) {
      guard let words = words(term, isTag: isTag) else { return nil }
      alternatives.append(words)
    }
    return alternatives
  }

  private static func words(_ term: Substring, isTag: Bool) -> [Term]? {
    var (words, rest) = ([Term](), term)
    repeat {
      let signs = rest.prefix { "+-&".contains($0) }
      guard ["", "+", "-", "&", "&+", "&-"].contains(signs), words.isEmpty || !signs.isEmpty else { return nil }
      rest = rest.dropFirst(signs.count)
      let word = rest.prefix { isTag ? $0.isTagCharacter : !"+-&|/!=<>{}\"".contains($0) && !$0.isWhitespace }
      guard !word.isEmpty else { return nil }
      words.append(Term(text: String(word), isWanted: signs.last != "-"))
      rest = rest.dropFirst(word.count)
    } while !rest.isEmpty
    return words
  }
}

extension Character {
  fileprivate var isTagCharacter: Bool { isLetter || isNumber || "_@#%".contains(self) }
}
