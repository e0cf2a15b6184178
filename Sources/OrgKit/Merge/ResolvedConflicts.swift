/// The conflicts in the last common version of an entry, or of a preamble, that both sides resolved.
///
/// An earlier merge wrote them there. That version has all alternatives, or one of them as its value, but neither side agreed to it:
/// a side that keeps the one and deletes the other has chosen. If the sides chose differently, the alternatives do not count as
/// parts of the base.
struct ResolvedConflicts {
  /// A conflict in the text that the sides resolved differently.
  struct Opposed {
    let conflict: ListedConflict
    /// The values that only one side kept, with that side.
    let kept: [(value: [UInt8], by: Version)]

    /// Nil if both sides kept the same values.
    fileprivate init?(_ conflict: ListedConflict, _ texts: Three<[Bytes]>) {
      self.conflict = conflict
      kept = conflict.values.compactMap(\.self).compactMap { value in
        let isKept = texts.map { conflict.isValue(value, in: $0) }
        return isKept.ours == isKept.theirs ? nil : (value, isKept.ours ? .ours : .theirs)
      }
      if kept.isEmpty { return nil }
    }
  }

  /// The sections without the lines of the drawer about these conflicts; that of the base also without opposed texts.
  let sections: Three<Bytes>
  private(set) var opposed: [Opposed] = []
  /// The resolved conflicts of fields.
  private let fields: [ListedConflict]

  /// Nil if both sides resolved nothing. `drawers` are the sections with the drawer of a preamble, which is in an entry.
  init?(_ sections: Three<Bytes>, drawers: Three<Bytes>? = nil, drawer: String) {
    let lists = (drawers ?? sections).map { ListedConflict.list(in: $0.lines, drawer: drawer) }
    let open = lists.map { Set($0.flatMap(\.lines)) }
    let resolved = lists.base.filter { listed in
      open.sides.allSatisfy { !$0.isSuperset(of: listed.lines) }
    }
    if resolved.isEmpty { return nil }
    fields = resolved.filter(\.isOfField)
    let texts = sections.map { Array($0.lines) }
    let left = Set(lists.base.flatMap(\.lines)).subtracting(resolved.flatMap(\.lines))
    var rest = drawers == nil ? texts.map { Self.without(resolved, butWith: left, in: $0, drawer: drawer) } : texts
    for conflict in resolved where !conflict.isOfField && !conflict.isOfWhole {
      guard let found = Opposed(conflict, texts) else { continue }
      opposed.append(found)
      for (value, _) in found.kept { conflict.remove(value, from: &rest.base) }
    }
    self.sections = sections.zip(texts.zip(rest)).map { section, lines in
      lines.0 == lines.1 ? section : Self.text(of: lines.1, before: lines.0)
    }
  }

  /// Empties the lines of a drawer about some conflicts, whatever their ticks are; `left` are lines of other conflicts.
  private static func without(
    _ gone: [ListedConflict], butWith left: Set<[UInt8]>, in lines: [Bytes], drawer: String
  ) -> [Bytes] {
    guard let content = ListedConflict.content(of: drawer, in: Lines(lines)) else { return lines }
    var rest = lines
    for place in content where !left.contains(lines[place].collapsed) {
      if gone.contains(where: { $0.lists(lines[place]) }) { rest[place] = [] }
    }
    // An empty drawer is not text.
    if rest[content].allSatisfy(\.isEmpty) { rest.blank(content.lowerBound - 1..<content.upperBound + 1) }
    return rest
  }

  /// Returns a text without the lines that were emptied.
  private static func text(of lines: [Bytes], before: [Bytes]) -> Bytes {
    let kept = zip(before, lines).filter { before, after in before.isEmpty || !after.isEmpty }.map(\.1)
    return Array(kept.map { $0 + [.newline] }.joined())[...]
  }

  /// Returns true if only one side kept a text.
  func isOpposed(_ text: [UInt8]) -> Bool { opposed.contains { $0.kept.contains { $0.value == text } } }

  /// Returns true if both sides resolved a conflict about a field, so that the base has no value for it.
  func areAbout(_ field: some Sequence<UInt8>) -> Bool {
    fields.contains { $0.name.elementsEqual(field) { $0.lowercased == $1.lowercased } }
  }

  /// True if both sides resolved a conflict about a property.
  var areAboutProperties: Bool { fields.contains { $0.name.starts(with: "property ".utf8) } }

  /// Returns true if both sides resolved a conflict about a property with this value.
  func areAbout(_ field: some Sequence<UInt8>, value: [UInt8]) -> Bool {
    areAbout(field) && fields.contains { $0.values.contains(value) }
  }
}

extension [Bytes] {
  /// Empties some lines, so that the places of the others remain valid.
  mutating func blank(_ places: Range<Int>) {
    for place in places { self[place] = [] }
  }
}
