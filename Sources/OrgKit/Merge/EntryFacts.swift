/// The features of an entry for matching: its IDs, its title and its exact text.
struct EntryFacts {
  let id: Bytes?
  let customID: Bytes?
  /// The title with white space collapsed and cookies blanked.
  let title: [UInt8]
  let headline: Bytes
  let section: Bytes

  init(_ node: Int, of outline: Outline, keywords: Keywords) {
    let drawer = outline.drawer(node)
    id = drawer?["id"]
    customID = drawer?["custom_id"]
    headline = outline.headline(node)
    title = Headline(headline, keywords: keywords).title.collapsed[...].blankingCookies
    section = outline.section(node)
  }

  /// Two entries with different IDs never match.
  func mayBe(_ other: EntryFacts) -> Bool { id == nil || other.id == nil || id == other.id }

  /// The exact title and text; nil for an entry without text.
  var content: EntryContent? {
    section.isBlank ? nil : EntryContent(title: LineKey(title[...]), text: LineKey(section))
  }

  /// The words of the entry, for measuring similarity.
  var words: EntryTokens { EntryTokens(title: title[...], headline: headline, section: section) }
}

/// The exact title and text of an entry.
struct EntryContent: Hashable {
  let title: LineKey
  let text: LineKey
}

/// The words of an entry.
struct EntryTokens {
  let title: WordBag
  /// The words of the section without planning, drawers and log: bookkeeping must not make an entry look different.
  let text: WordBag
  /// All words, which decide between entries with equally similar title and text.
  private let whole: WordBag

  init(title: Bytes, headline: Bytes, section: Bytes) {
    self.title = WordBag(sampling: [title])
    whole = WordBag(sampling: [headline, section])
    text = WordBag(
      sampling: Section(section, isPreamble: false).blocks.lazy.filter { !$0.isBookkeeping }.flatMap(\.lines))
  }

  /// Returns the similarity of two whole entries, including tags, dates and properties.
  func wholeLikeness(to other: EntryTokens) -> Double { whole.likeness(to: other.whole) }

  var hasText: Bool { !text.isEmpty }

  /// Returns the similarity of two entries; from one half upward they may match.
  func likeness(to other: EntryTokens, underMatchedParents: Bool) -> Double {
    let titles = title.likeness(to: other.title)
    let bonus = underMatchedParents && titles > 0 ? 0.1 : 0
    guard hasText, other.hasText else { return (hasText || other.hasText ? 0.8 * titles : titles) + bonus }
    let texts = text.likeness(to: other.text)
    // A common title such as Notes does not identify an entry.
    if texts < 0.3, !underMatchedParents { return 0 }
    let weight = text.total >= 4 ? 0.9 : 0.6
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
