/// Merges one entry, or a preamble, field by field; collects the conflicts.
struct EntryMerge {
  /// The parts of an entry; a preamble has no headline.
  struct Parts {
    var headline: Headline?
    var section: Section
  }

  let parts: Three<Parts>
  /// True if both sides added the entry.
  let isNew: Bool
  let keywords: Keywords
  let options: OrgMerge.Options
  /// The conflicts of the base that both sides resolved.
  let resolved: ResolvedConflicts?
  var conflicts: [FieldConflict] = []
  var decisions: [OrgMerge.Decision] = []
  /// The number of containers and items around the current blocks.
  var depth = 0

  /// Merges the entry; the base is nil if both sides added it.
  static func merge(
    _ headlines: Three<Headline?>, _ sections: Three<Bytes?>, resolved: ResolvedConflicts?, keywords: Keywords,
    options: OrgMerge.Options
  ) -> (entry: MergedEntry, decisions: [OrgMerge.Decision]) {
    var merge = EntryMerge(headlines, sections, resolved: resolved, keywords: keywords, options: options)
    let entry = merge.entry()
    return (merge.finished(entry), merge.decisions)
  }

  /// Merges only the fields of the entry; its text becomes a conflict, `asWhole` also if only one side changed it.
  static func disputed(
    _ headlines: Three<Headline?>, _ sections: Three<Bytes?>, asWhole: Bool, resolved: ResolvedConflicts?,
    keywords: Keywords, options: OrgMerge.Options
  ) -> (entry: MergedEntry, decisions: [OrgMerge.Decision]) {
    var merge = EntryMerge(headlines, sections, resolved: resolved, keywords: keywords, options: options)
    let headline = merge.headline()
    let head = merge.planning(below: headline) + merge.properties(merge.parts.map(\.section.drawer?.lines))
    let body = merge.parts.map { $0.section.bodyLines }
    let settled = asWhole && body.ours != body.theirs ? nil : body.settled
    let entry = MergedEntry(
      headline: headline, head: head, body: settled.map { Piece.lines($0) } ?? [Piece.blocks(body)],
      conflicts: merge.conflicts)
    return (merge.finished(entry), merge.decisions)
  }

  private init(
    _ headlines: Three<Headline?>, _ sections: Three<Bytes?>, resolved: ResolvedConflicts?, keywords: Keywords,
    options: OrgMerge.Options
  ) {
    let isPreamble = headlines.ours == nil
    let texts = BodyShift.aligned(sections.map { $0 ?? [] })
    parts = headlines.zip(texts).map { Parts(headline: $0, section: Section($1, isPreamble: isPreamble)) }
    isNew = headlines.base == nil && headlines.ours != nil
    self.resolved = resolved
    self.keywords = keywords
    self.options = options
  }

  private func finished(_ entry: MergedEntry) -> MergedEntry {
    var entry = entry
    entry.derived = decisions.filter { $0.kind == .derived }.flatMap { [$0.kept, $0.dropped] }.compactMap(\.self)
    return entry
  }

  private mutating func entry() -> MergedEntry {
    let headline = parts.ours.headline == nil ? nil : headline()
    let head = planning(below: headline) + properties(parts.map(\.section.drawer?.lines))
    let body = body(parts.map(\.section.blocks))
    return MergedEntry(headline: headline, head: head, body: body, conflicts: conflicts)
  }

  /// Returns the value of a field without a conflict. If both sides resolved a conflict about it, the base has none.
  func settled<Value: Equatable>(_ values: Three<Value>, _ field: some Sequence<UInt8>) -> Value? {
    guard let resolved, resolved.areAbout(field) else { return values.settled }
    return values.ours == values.theirs ? values.ours : nil
  }

  mutating func record(_ conflict: FieldConflict) {
    conflicts.append(conflict)
    decisions.append(
      OrgMerge.Decision(
        .flagged, field: conflict.name.string, kept: conflict.choices.first { $0.stands }?.value?.string,
        dropped: conflict.choices.last?.value?.string))
  }

  /// Records a value that a rule chose.
  mutating func record(_ kind: OrgMerge.Decision.Kind, _ field: String, kept: Bytes?, dropped: Bytes?) {
    decisions.append(OrgMerge.Decision(kind, field: field, kept: kept?.string, dropped: dropped?.string))
  }
}
