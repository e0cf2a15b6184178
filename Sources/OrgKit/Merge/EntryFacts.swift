/// What distinguishes an entry from others: its IDs, its title and its text as it is written.
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

  /// Two entries that both have an ID, and different ones, are never the same.
  func mayBe(_ other: EntryFacts) -> Bool { id == nil || other.id == nil || id == other.id }

  /// Title and text as they are written; nil for an entry without text.
  var content: EntryContent? {
    section.isBlank ? nil : EntryContent(title: LineKey(title[...]), text: LineKey(section))
  }

  /// The words of the entry, for judging likeness.
  var words: EntryTokens { EntryTokens(title: title[...], headline: headline, section: section) }
}

/// Title and text of an entry as they are written.
struct EntryContent: Hashable {
  let title: LineKey
  let text: LineKey
}

/// The words of an entry.
struct EntryTokens {
  let title: WordBag
  /// The words of the section without planning, drawers and log: bookkeeping must not make an entry look different.
  let text: WordBag
  /// All words, which decide between entries that are equally alike in title and text.
  private let whole: WordBag

  init(title: Bytes, headline: Bytes, section: Bytes) {
    self.title = WordBag(sampling: [title])
    whole = WordBag(sampling: [headline, section])
    text = WordBag(
      sampling: Section(section, isPreamble: false).blocks.lazy.filter { !$0.isBookkeeping }.flatMap(\.lines))
  }

  /// How alike two entries are as a whole, tags, dates and properties included.
  func wholeLikeness(to other: EntryTokens) -> Double { whole.likeness(to: other.whole) }

  var hasText: Bool { !text.isEmpty }

  /// How alike two entries are; from one half upward they may be the same.
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
