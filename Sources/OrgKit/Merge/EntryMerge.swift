/// Merges one entry, or a preamble, field by field; collects what is left to a person.
struct EntryMerge {
  /// An entry taken apart; a preamble has no headline.
  struct Parts {
    var headline: Headline?
    var section: Section
  }

  let parts: Three<Parts>
  /// The side whose section has all changes of the other one, if there is one.
  let whole: Version?
  let keywords: Keywords
  let options: OrgMerge.Options
  private(set) var conflicts: [FieldConflict] = []
  private(set) var decisions: [OrgMerge.Decision] = []

  /// Merges the entry; the base is nil if both sides added it.
  static func merge(
    _ headlines: Three<Headline?>, _ sections: Three<Bytes?>, keywords: Keywords, options: OrgMerge.Options
  ) -> (entry: MergedEntry, decisions: [OrgMerge.Decision]) {
    let isPreamble = headlines.ours == nil
    let texts = BodyShift.aligned(sections.map { $0 ?? [] })
    let parts = headlines.zip(texts).map { Parts(headline: $0, section: Section($1, isPreamble: isPreamble)) }
    let whole = Subsumption.whole(parts.map(\.section.lines))
    var merge = EntryMerge(parts: parts, whole: whole, keywords: keywords, options: options)
    let entry = merge.entry()
    return (entry, merge.decisions)
  }

  private mutating func entry() -> MergedEntry {
    let headline = parts.ours.headline == nil ? nil : headline()
    if let section = whole.map({ parts[$0].section }) {
      return MergedEntry(
        headline: headline, head: Piece.lines(section.headLines), body: Piece.lines(section.bodyLines),
        conflicts: conflicts)
    }
    let head = planning() + properties(parts.map(\.section.drawer?.lines))
    let body = body(parts.map(\.section.blocks))
    return MergedEntry(headline: headline, head: head, body: body, conflicts: conflicts)
  }

  mutating func record(_ conflict: FieldConflict) {
    conflicts.append(conflict)
    decisions.append(
      OrgMerge.Decision(
        .flagged, field: conflict.name.string, kept: conflict.choices.first { $0.stands }?.value?.string,
        dropped: conflict.choices.last?.value?.string))
  }

  /// Notes a value that a rule chose by itself.
  mutating func record(_ kind: OrgMerge.Decision.Kind, _ field: String, kept: Bytes?, dropped: Bytes?) {
    decisions.append(OrgMerge.Decision(kind, field: field, kept: kept?.string, dropped: dropped?.string))
  }
}
