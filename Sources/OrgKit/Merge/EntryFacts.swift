/// What tells an entry from others: its IDs, its title and its words.
struct EntryFacts {
  let id: Bytes?
  let customID: Bytes?
  /// The title with white space collapsed and cookies blanked.
  let title: [UInt8]
  /// The section as it is written.
  let section: Bytes
  let titleWords: WordBag
  /// The words of the section without planning, drawers and log: bookkeeping must not make an entry look different.
  let textWords: WordBag

  init(_ node: Int, of outline: Outline, keywords: Keywords) {
    let headline = Headline(outline.headline(node), keywords: keywords)
    section = outline.section(node)
    title = Array(headline.title.collapsed[...].blankingCookies)
    titleWords = WordBag(title[...])
    let parts = Section(section, isPreamble: false)
    id = parts.drawer?["id"]
    customID = parts.drawer?["custom_id"]
    textWords = WordBag(parts.blocks.lazy.filter { !$0.isBookkeeping }.flatMap(\.lines))
  }

  var hasText: Bool { !textWords.isEmpty }

  /// Two entries that both have an ID, and different ones, are never the same.
  func mayBe(_ other: EntryFacts) -> Bool { id == nil || other.id == nil || id == other.id }

  /// How alike two entries are; from one half upward they may be the same.
  func likeness(to other: EntryFacts, underMatchedParents: Bool) -> Double {
    let titles = titleWords.likeness(to: other.titleWords)
    let bonus = underMatchedParents && titles > 0 ? 0.1 : 0
    guard hasText, other.hasText else { return (hasText || other.hasText ? 0.8 * titles : titles) + bonus }
    let texts = textWords.likeness(to: other.textWords)
    // A common title such as Notes is no identity.
    if texts < 0.3, !underMatchedParents { return 0 }
    let weight = textWords.total >= 4 ? 0.9 : 0.6
    return max(0.5 * titles + 0.5 * texts, weight * texts) + bonus
  }
}

extension Block {
  var isBookkeeping: Bool {
    switch kind {
    case .drawer, .properties, .log: true
    default: false
    }
  }
}
