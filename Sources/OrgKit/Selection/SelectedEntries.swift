/// The entries of a file that a match shows: each entry that the match selects, with those below it that no term excludes.
///
/// An excluded entry is hidden with everything below it, except entries that the match selects themselves. In doubt an entry is
/// hidden: an excluded tag matches in any case, also as a group tag of `#+TAGS:`, and on an inline task in the entry's text.
struct SelectedEntries {
  /// True for shown entries, by the node of the outline; false for the preamble.
  private(set) var isShown: [Bool]
  private let match: OrgMatch
  private let document: OrgDocument
  private let groups: TagGroups

  init(of document: OrgDocument, _ match: OrgMatch) {
    self.match = match
    self.document = document
    groups = TagGroups(document)
    isShown = Array(repeating: false, count: document.outline.nodes.count)
    select()
  }

  /// True if no entry is shown.
  var isEmpty: Bool { !isShown.contains(true) }

  /// The tags of an entry, and the alternatives of the match under which it is shown.
  private struct Reach {
    var tags: Set<String>
    var alternatives: Set<Int>
  }

  private mutating func select() {
    let outline = document.outline
    let fileTags = groups.closure(of: document.fileTags)
    var reaches = [Reach(tags: fileTags, alternatives: [])]
    reaches.reserveCapacity(outline.nodes.count)
    for node in outline.nodes.indices.dropFirst() {
      let entry = document[OrgEntry.Index(node)]
      let above = reaches[outline.nodes[node].parent]
      let tags = above.tags.union(groups.closure(of: entry.tags))
      let features = EntryFeatures(entry, tags: tags)
      let bars = Set(tags.union(groups.closure(of: inlineTags(of: node))).map { $0.lowercased() })
      let shown = match.alternatives.indices.filter { index in
        let alternative = match.alternatives[index]
        return !alternative.excludes(features, tags: bars)
          && (above.alternatives.contains(index) || alternative.holds(for: features))
      }
      reaches.append(Reach(tags: tags, alternatives: Set(shown)))
      isShown[node] = !shown.isEmpty
    }
  }

  /// Returns the tags of the inline tasks in an entry's text.
  private func inlineTags(of node: Int) -> [String] {
    document.outline.section(node).lines.filter { $0.first == .star && $0.span.stars >= Outline.inlineTaskLevel }
      .flatMap { Headline($0, keywords: document.keywords).tags.map(\.string) }
  }
}

extension OrgMatch.Alternative {
  /// Returns true if a term excludes an entry, whatever else it has.
  ///
  /// - Parameter tags: the tags that exclude, in lower case.
  fileprivate func excludes(_ features: EntryFeatures, tags: Set<String>) -> Bool {
    if isForOpenTasks, features.isDone { return true }
    return terms.contains { term in
      guard !term.isWanted else { return false }
      if case .tag(let tag) = term.subject { return tags.contains(tag.lowercased()) }
      return features.have(term.subject)
    }
  }
}

/// The group tags of a file: `#+TAGS: [ work : office travel ]`.
struct TagGroups {
  /// The groups of each tag.
  private var groups: [String: Set<String>] = [:]
  /// True if a member of a group is a regular expression, so that a tag's groups are unknown.
  private(set) var hasPattern = false

  init(_ document: OrgDocument) {
    for line in document.settings("TAGS") { read(line) }
  }

  private mutating func read(_ line: String) {
    var group: [String]?
    for word in line.split(whereSeparator: \.isWhitespace) {
      switch word {
      case "[", "{": group = []
      case "]", "}":
        add(group ?? [])
        group = nil
      default:
        if word.contains("{") { hasPattern = true }
        group?.append(String(word.prefix { $0 != "(" }))
      }
    }
  }

  private mutating func add(_ words: [String]) {
    guard words.count > 2, words[1] == ":" else { return }
    for member in words[2...] { groups[member, default: []].insert(words[0]) }
  }

  /// Returns the tags with the groups that they belong to.
  func closure(of tags: [String]) -> Set<String> {
    var (all, rest) = (Set(tags), tags)
    while let tag = rest.popLast() {
      for group in groups[tag] ?? [] where all.insert(group).inserted { rest.append(group) }
    }
    return all
  }
}
