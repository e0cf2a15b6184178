extension EntryMerge {
  mutating func headline() -> MergedHeadline? {
    let versions = parts.map(\.headline)
    guard let ours = versions.ours, versions.theirs != nil else { return nil }
    let before = conflicts.count
    let keyword = keyword(versions.map { $0?.keyword })
    let priority = priority(versions.map { $0?.priority })
    let title = title(versions.map { $0?.title ?? [] })
    let isComment = versions.map { $0?.isComment ?? false }.settled ?? ours.isComment
    let tags = Self.members(versions.map { $0?.tags ?? [] })
    // A line that has all these values already is used unchanged.
    let fitting = versions.map { version in
      version.flatMap { $0.says(keyword, priority, isComment, title, tags) ? $0.line.drop { $0 == .star } : nil }
    }
    let line = fitting.ours == nil && fitting.theirs == nil ? nil : fitting.layout
    var merged = MergedHeadline(ours, among: versions)
    (merged.keyword, merged.priority, merged.isComment) = (keyword, priority, isComment)
    (merged.title, merged.tags, merged.line) = (title, tags, line)
    merged.trailing = versions.map { $0?.line.trailingBlanks ?? [] }.layout
    let disputed = Set(conflicts[before...].map(\.field))
    if !disputed.isEmpty { merged.variants = versions.map { $0.map { [merged.line(with: disputed, of: $0)] } ?? [] } }
    return merged
  }

  private mutating func keyword(_ values: Three<Bytes?>) -> Bytes? {
    if let settled = settled(values, "keyword".utf8) { return settled }
    let sides = values.sides.sorted { furthestFirst($0, $1) }
    record(
      FieldConflict(.keyword, "keyword".utf8, standing: sides[0].map { Array($0) }, other: sides[1].map { Array($0) }))
    return sides[0]
  }

  /// Returns true if the first keyword wins: the one furthest along the declared sequence; no keyword loses.
  private func furthestFirst(_ one: Bytes?, _ other: Bytes?) -> Bool {
    guard let one else { return false }
    guard let other else { return true }
    let ranks = (keywords.rank(one), keywords.rank(other))
    return ranks.0 == ranks.1 ? precedes(one, other) : ranks.0 > ranks.1
  }

  private mutating func priority(_ values: Three<Bytes?>) -> Bytes? {
    if let settled = settled(values, "priority".utf8) { return settled }
    let sides = values.sides.sorted { mostUrgentFirst($0, $1) }
    record(
      FieldConflict(.priority, "priority".utf8, standing: sides[0].map { Array($0) }, other: sides[1].map { Array($0) })
    )
    return sides[0]
  }

  private func mostUrgentFirst(_ one: Bytes?, _ other: Bytes?) -> Bool {
    guard let one else { return false }
    guard let other else { return true }
    if let number = Int(one.string), let otherNumber = Int(other.string), number != otherNumber {
      return number < otherNumber
    }
    return precedes(one, other)
  }

  /// Merges the title by words; cookies are set again when the rest of the entry is known.
  private mutating func title(_ titles: Three<Bytes>) -> Bytes {
    let meanings = titles.map { Array($0.collapsed[...].blankingCookies) }
    let isOpposed = meanings.settled != settled(meanings, "title".utf8)
    if !isOpposed, let settled = titles.settled(by: { Array($0.collapsed[...].blankingCookies) }) { return settled }
    return (isOpposed ? nil : mergedTitle(titles)) ?? disputedTitle(titles)
  }

  /// Merges titles that both sides changed by words; nil for a conflict.
  private mutating func mergedTitle(_ titles: Three<Bytes>) -> Bytes? {
    if options.mergesWords, parts.base.headline != nil,
      let merged = WordMerge.merge(titles.map { $0.blankingCookies[...] })
    {
      record(.merged, "title", kept: merged[...], dropped: nil)
      return merged[...]
    }
    if let merged = titleBesideCookies(titles.map { $0.splitAtLastCookies }) {
      record(.merged, "title", kept: merged, dropped: nil)
      return merged
    }
    return nil
  }

  private mutating func disputedTitle(_ titles: Three<Bytes>) -> Bytes {
    let sides = titles.sides.sorted { precedes($0, $1) }
    record(FieldConflict(.title, "title".utf8, standing: Array(sides[0]), other: Array(sides[1])))
    return sides[0]
  }

  /// Merges the title if one side changed its words and the other added or removed a cookie at its end.
  private func titleBesideCookies(_ titles: Three<(text: Bytes, cookies: [UInt8])>) -> Bytes? {
    let words = titles.map { Array($0.text.collapsed[...].blankingCookies) }
    guard let cookies = titles.map(\.cookies).settled, let text = words.settled else { return nil }
    return Array([text, cookies].filter { !$0.isEmpty }.joined(separator: [.space]))[...]
  }

  /// Merges ordered sets: the members that both have, and those that one side added.
  static func members(_ lists: Three<[Bytes]>) -> [Bytes] {
    var names: [Bytes] = []
    var numbers: [Bytes: Int] = [:]
    let orders = lists.map { list in
      var order: [Int] = []
      var seen: Set<Int> = []
      for member in list {
        let number = numbers[member] ?? names.count
        if number == names.count {
          numbers[member] = number
          names.append(member)
        }
        if seen.insert(number).inserted { order.append(number) }
      }
      return order
    }
    let sets = orders.map(Set.init)
    let kept = sets.ours.intersection(sets.theirs).union(
      sets.ours.symmetricDifference(sets.theirs).subtracting(sets.base))
    return SequenceMerge.merge(orders, survivors: kept, insertions: .sorted, text: { Array(names[$0]) }).map {
      names[$0]
    }
  }
}

extension MergedHeadline {
  /// Returns the line with these fields of another version, with its stars.
  fileprivate func line(with fields: Set<FieldConflict.Field>, of version: Headline) -> Bytes {
    var headline = self
    if fields.contains(.keyword) { headline.keyword = version.keyword }
    if fields.contains(.priority) { headline.priority = version.priority }
    if fields.contains(.title) { headline.title = version.title }
    headline.line = nil
    if version.says(headline.keyword, headline.priority, headline.isComment, headline.title, headline.tags) {
      return version.line
    }
    return headline.bytes(level: version.line.prefix { $0 == .star }.count)[...]
  }
}

extension Headline {
  /// Returns true if the headline has exactly these fields.
  fileprivate func says(_ keyword: Bytes?, _ priority: Bytes?, _ isComment: Bool, _ title: Bytes, _ tags: [Bytes])
    -> Bool
  {
    self.keyword == keyword && self.priority == priority && self.isComment == isComment
      && self.title.words == title.words && self.tags == tags
  }
}
