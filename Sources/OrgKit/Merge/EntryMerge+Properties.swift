/// The properties of one version's drawer, by keys.
private struct PropertyFields {
  var fields: [PropertyField: PropertyDrawer.Property] = [:]
  var order: [PropertyField] = []

  init(_ drawer: PropertyDrawer?) {
    var counts: [PropertyField: Int] = [:]
    for property in drawer?.properties ?? [] {
      var field = PropertyField(property)
      field.occurrence = counts[field, default: 0]
      counts[PropertyField(property), default: 0] += 1
      fields[field] = property
      order.append(field)
    }
  }

  /// Returns the same fields, where a reworded `:KEY+:` line is identified with the line of the base that it replaced.
  func matched(with base: PropertyFields, beside other: PropertyFields) -> PropertyFields {
    var known = replacements(of: base, beside: other)
    known.merge(other.replacements(of: base, beside: self)) { own, _ in own }
    // Lines that both sides have without replacing anything are new on both.
    let rest = replacements(of: base) { known[$0] == nil && other.fields[$0] == nil && !known.values.contains($0) }
    known.merge(rest) { earlier, _ in earlier }
    // A line with few words of one that the other side deleted is a new line.
    let others = Set(other.replacements(of: base, beside: self).values)
    known = known.filter { new, old in
      other.fields[old] != nil || others.contains(old) || new.share(in: old) >= Self.share
    }
    var matched = self
    for (place, field) in order.enumerated() {
      guard let old = known[field], matched.fields[old] == nil else { continue }
      matched.order[place] = old
      matched.fields[old] = matched.fields.removeValue(forKey: field)
    }
    return matched
  }

  /// The minimum share of common words if the other side deleted the line; with less it is a new line.
  private static let share = 0.4

  /// Returns the added lines that replace as many lines of the base. If the other side has both lines of a pair, neither
  /// replaces the other.
  private func replacements(of base: PropertyFields, beside other: PropertyFields) -> [PropertyField: PropertyField] {
    replacements(of: base) { _ in true }.filter { new, old in other.fields[new] == nil || other.fields[old] == nil }
  }

  /// Returns the added lines that replace as many lines of the base, among some fields.
  private func replacements(
    of base: PropertyFields, among isCandidate: (PropertyField) -> Bool
  ) -> [PropertyField: PropertyField] {
    var found: [PropertyField: PropertyField] = [:]
    for (old, new) in zip(base.reworded(in: self), reworded(in: base)) {
      let (old, new) = (old.filter(isCandidate), new.filter(isCandidate))
      guard old.count == new.count else { continue }
      for (one, other) in zip(old, new) where one.key == other.key { found[other] = one }
    }
    return found
  }

  /// Returns the added lines that another version lacks, grouped by the fields of both versions around them.
  private func reworded(in other: PropertyFields) -> [[PropertyField]] {
    var runs: [[PropertyField]] = [[]]
    for field in order {
      if other.fields[field] != nil {
        runs.append([])
      } else if field.added != nil {
        runs[runs.count - 1].append(field)
      }
    }
    return runs
  }
}

/// The identity of a property in two versions: its case-insensitive key; for a `:KEY+:` line also its value.
private struct PropertyField: Hashable {
  let key: [UInt8]
  let added: [UInt8]?
  var occurrence = 0

  init(_ property: PropertyDrawer.Property) {
    key = property.key.lowercased
    added = key.last == UInt8(ascii: "+") ? property.value.collapsed : nil
  }

  /// The sort key of two properties that are new on both sides.
  var text: [UInt8] { key + (added.map { [.newline] + $0 } ?? []) + [.newline, UInt8(clamping: occurrence)] }

  /// Returns the share of the words of a `:KEY+:` line that another one has.
  func share(in other: PropertyField) -> Double {
    WordBag((added ?? [])[...]).share(in: WordBag((other.added ?? [])[...]))
  }

  /// True if the values of the key are sets of words.
  var isSet: Bool { ["roam_aliases", "roam_refs", "roam_tags"].contains { key.elementsEqual($0.utf8) } }
}

extension EntryMerge {
  /// Merges property drawers key by key; the lines include those that open and close the drawer.
  mutating func properties(_ drawers: Three<Lines?>) -> [Piece] {
    let lines = drawers.map { $0.map { Array($0) } ?? [] }
    let isOpposed = lines.ours != lines.theirs && resolved?.areAboutProperties ?? false
    if !isOpposed, let settled = lines.settled { return Piece.lines(settled) }
    let fields = drawers.map { PropertyFields($0.flatMap { PropertyDrawer(at: $0) }) }
    let versions = Three(
      base: fields.base, ours: fields.ours.matched(with: fields.base, beside: fields.theirs),
      theirs: fields.theirs.matched(with: fields.base, beside: fields.ours))
    let merged = propertyPieces(versions)
    if merged.isEmpty { return [] }
    let opening = drawers.map { $0?.first }.layout
    let closing = drawers.map { $0?.last }.layout
    return [.line(opening)] + merged + [.line(closing)]
  }

  private mutating func propertyPieces(_ versions: Three<PropertyFields>) -> [Piece] {
    var numbers: [PropertyField: Int] = [:]
    var fields: [PropertyField] = []
    for field in versions.all.flatMap(\.order) where numbers[field] == nil {
      numbers[field] = fields.count
      fields.append(field)
    }
    let merged = fields.map { field in property(field, versions.map { $0.fields[field] }) }
    let order = SequenceMerge.merge(
      versions.map { $0.order.compactMap { numbers[$0] } },
      survivors: Set(fields.indices.filter { merged[$0] != nil }), insertions: .sorted, text: { fields[$0].text })
    return order.compactMap { merged[$0] }
  }

  private mutating func property(_ field: PropertyField, _ lines: Three<PropertyDrawer.Property?>) -> Piece? {
    let values = lines.map { $0.map { $0.value.collapsed } }
    if let settled = isOpposed(field, lines, values) ? nil : values.settled {
      guard settled != nil else { return nil }
      let alike = lines.map { line in line.flatMap { $0.value.collapsed == settled ? $0.line : nil } }
      return .line(alike.layout)
    }
    guard let ours = lines.ours, let theirs = lines.theirs else { return disputed(field, lines, values) }
    if field.isSet {
      let members = Self.members(lines.map { $0.map { Self.quotedWords($0.value) } ?? [] })
      let start = lines.map { line in line.map { $0.line.start(before: $0.value) } }.layout
      return .line(start + members.joined(separator: [.space]))
    }
    if field.key.elementsEqual("last_repeat".utf8) {
      let sides = [ours, theirs].sorted { OrgTimestamp($1.value)?.moment ?? [] < OrgTimestamp($0.value)?.moment ?? [] }
      record(.derived, "property LAST_REPEAT", kept: sides[0].value, dropped: sides[1].value)
      return .line(sides[0].line)
    }
    return disputed(field, lines, values)
  }

  /// Returns true if both sides resolved a conflict about the property, each differently.
  private func isOpposed(
    _ field: PropertyField, _ lines: Three<PropertyDrawer.Property?>, _ values: Three<[UInt8]?>
  ) -> Bool {
    guard let resolved, values.ours != values.theirs else { return false }
    let name = Array("property ".utf8) + field.key
    // Lines of a `:KEY+:` have one name.
    if field.added == nil { return resolved.areAbout(name) }
    return values.all.contains { value in value.map { resolved.areAbout(name, value: $0) } ?? false }
  }

  /// Resolves a conflict of values: the smaller one stays; no value comes last.
  private mutating func disputed(
    _ field: PropertyField, _ lines: Three<PropertyDrawer.Property?>, _ values: Three<[UInt8]?>
  ) -> Piece? {
    let sides = [(lines.ours, values.ours), (lines.theirs, values.theirs)].sorted { one, other in
      guard let value = one.1, let otherValue = other.1 else { return one.1 != nil }
      return precedes(value, otherValue)
    }
    guard let standing = sides[0].0 else { return nil }
    record(
      FieldConflict(
        .property, Array("property ".utf8) + standing.key, standing: Array(standing.value),
        other: sides[1].0.map { Array($0.value) }))
    return .disputed(shown: [standing.line], lines.map { $0.map { [$0.line] } ?? [] })
  }

  /// Splits a value into words; quotes keep words together.
  private static func quotedWords(_ value: Bytes) -> [Bytes] {
    var words: [Bytes] = []
    var rest = value.trimmedLeft
    while let first = rest.first {
      let quote = UInt8(ascii: "\"")
      let close = first == quote ? rest.dropFirst().firstIndex(of: quote) : nil
      let word = close.map { rest[...$0] } ?? rest.prefix { !$0.isBlank }
      words.append(word)
      rest = rest[word.endIndex...].trimmedLeft
    }
    return words
  }
}

extension ArraySlice<UInt8> {
  /// Returns the line up to its value, or up to where one would be.
  func start(before value: Bytes) -> Bytes {
    value.isEmpty ? trimmedRight + [.space] : self[..<value.startIndex]
  }
}

private func < (left: [Int], right: [Int]) -> Bool { left.lexicographicallyPrecedes(right) }
