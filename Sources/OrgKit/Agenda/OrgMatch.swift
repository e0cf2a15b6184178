/// A choice of entries by tags and states, as Org's command for matching tags takes it: `work+urgent-boss|home/TODO|NEXT`.
///
/// Before the slash stand tags, behind it states; `|` is or, `+` or `&` and, `-` not. `/!` takes open tasks only. Inherited
/// tags count. Properties and regular expressions are not understood.
public struct OrgMatch: Sendable, Hashable {
  private let tags: [[Term]]
  private let states: [[Term]]
  private let isForOpenTasks: Bool

  /// A tag or state that has to be there, or must not.
  private struct Term: Hashable {
    var text: String
    var isWanted: Bool
  }

  /// Reads a match; nil if it says nothing, or anything else than tags and states.
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

  /// Returns true if an entry is chosen.
  public func selects(_ entry: OrgEntry) -> Bool {
    if isForOpenTasks, entry.keyword == nil || entry.isDone { return false }
    let keyword = entry.keyword.map { [$0] } ?? []
    return Self.holds(states, of: keyword) && (tags.isEmpty || Self.holds(tags, of: entry.allTags))
  }

  private static func holds(_ alternatives: [[Term]], of words: [String]) -> Bool {
    alternatives.isEmpty || alternatives.contains { $0.allSatisfy { words.contains($0.text) == $0.isWanted } }
  }

  /// Nil if there is anything except words, signs and bars; empty if there is nothing.
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
