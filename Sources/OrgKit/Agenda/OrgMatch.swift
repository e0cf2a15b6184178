/// A selection of entries in the syntax of Org's tag matches: `work+urgent-boss|home/TODO|NEXT`, `+mobile-private`,
/// `mobile+EFFORT="1:00"`.
///
/// Tags and properties come before the slash, states after it; `|` is or, `+` or `&` and, `-` not. `/!` selects open tasks
/// only. Inherited tags count, inherited properties do not. Values are compared as strings, with `="…"` and `<>"…"`. Regular
/// expressions and other comparisons are not supported.
public struct OrgMatch: Sendable, Hashable {
  /// The alternatives, of which one must hold.
  let alternatives: [Alternative]

  /// Terms that must all hold.
  struct Alternative: Hashable {
    var terms: [Term]
    var isForOpenTasks: Bool
  }

  /// A tag, state or property that is required or excluded.
  struct Term: Hashable {
    enum Subject: Hashable {
      case tag(String)
      case state(String)
      case property(String, value: String)
    }

    var subject: Subject
    var isWanted: Bool
  }

  /// Parses a match; returns nil if it is empty, or contains anything except tags, properties and states.
  public init?(_ text: String) {
    let parts = text[...].split(by: "/", atMost: 1)
    let behind = parts.count > 1 ? parts[1] : ""
    let isForOpenTasks = behind.first == "!"
    guard let tags = Self.alternatives(parts.first ?? "", isTag: true),
      let states = Self.alternatives(isForOpenTasks ? behind.dropFirst() : behind, isTag: false),
      !tags.isEmpty || !states.isEmpty || isForOpenTasks
    else { return nil }
    alternatives = (tags.isEmpty ? [[]] : tags).flatMap { tags in
      (states.isEmpty ? [[]] : states).map { Alternative(terms: tags + $0, isForOpenTasks: isForOpenTasks) }
    }
  }

  /// Returns true if an entry is selected.
  public func selects(_ entry: OrgEntry) -> Bool {
    let features = EntryFeatures(entry, tags: Set(entry.allTags))
    return alternatives.contains { $0.holds(for: features) }
  }

  /// Returns nil if there is anything except terms, signs and bars; an empty array for an empty text.
  private static func alternatives(_ text: Substring, isTag: Bool) -> [[Term]]? {
    if text.isEmpty { return [] }
    var alternatives: [[Term]] = []
    for term in text.split(by: "|") {
      guard let terms = terms(term, isTag: isTag) else { return nil }
      alternatives.append(terms)
    }
    return alternatives
  }

  private static func terms(_ text: Substring, isTag: Bool) -> [Term]? {
    var (terms, rest) = ([Term](), text)
    repeat {
      let signs = rest.prefix { "+-&".contains($0) }
      guard ["", "+", "-", "&", "&+", "&-"].contains(signs), terms.isEmpty || !signs.isEmpty else { return nil }
      rest = rest.dropFirst(signs.count)
      guard var term = takeTerm(&rest, isTag: isTag) else { return nil }
      if signs.last == "-" { term.isWanted.toggle() }
      terms.append(term)
    } while !rest.isEmpty
    return terms
  }

  private static func takeTerm(_ rest: inout Substring, isTag: Bool) -> Term? {
    let word = rest.prefix { isTag ? $0.isTagCharacter : !"+-&|/!=<>{}\"".contains($0) && !$0.isWhitespace }
    guard !word.isEmpty else { return nil }
    rest = rest.dropFirst(word.count)
    guard isTag else { return Term(subject: .state(String(word)), isWanted: true) }
    guard let sign = ["=\"", "<>\""].first(where: { rest.hasPrefix($0) }) else {
      return Term(subject: .tag(String(word)), isWanted: true)
    }
    rest = rest.dropFirst(sign.count)
    guard let end = rest.firstIndex(of: "\"") else { return nil }
    let value = String(rest[..<end])
    rest = rest[rest.index(after: end)...]
    return Term(subject: .property(String(word), value: value), isWanted: sign.count == 2)
  }
}

/// The features of an entry that a match refers to.
struct EntryFeatures {
  let entry: OrgEntry
  /// All tags, with inherited ones.
  let tags: Set<String>

  init(_ entry: OrgEntry, tags: Set<String>) {
    self.entry = entry
    self.tags = tags
  }

  /// Returns true if the entry has the tag, state or property value.
  func have(_ subject: OrgMatch.Term.Subject) -> Bool {
    switch subject {
    case .tag(let tag): tags.contains(tag)
    case .state(let state): entry.keyword == state
    case .property(let key, let value): property(key) == value
    }
  }

  /// Returns the value of a property, or of one of Org's special properties; empty if the entry does not have it.
  private func property(_ key: String) -> String {
    switch key.uppercased() {
    case "TODO": entry.keyword ?? ""
    case "PRIORITY": entry.priority ?? "B"
    case "CATEGORY": entry.category ?? ""
    case "ITEM": entry.title
    default: entry[property: key] ?? ""
    }
  }

  var isDone: Bool { entry.isDone }

  var isOpenTask: Bool { entry.keyword != nil && !entry.isDone }
}

extension OrgMatch.Alternative {
  /// Returns true if all terms hold.
  func holds(for features: EntryFeatures) -> Bool {
    (!isForOpenTasks || features.isOpenTask) && terms.allSatisfy { features.have($0.subject) == $0.isWanted }
  }
}

extension Substring {
  /// Splits at a character outside quotes.
  fileprivate func split(by separator: Character, atMost limit: Int = .max) -> [Substring] {
    var parts: [Substring] = []
    var (start, isQuoted) = (startIndex, false)
    for index in indices {
      if self[index] == "\"" { isQuoted.toggle() }
      guard self[index] == separator, !isQuoted, parts.count < limit else { continue }
      parts.append(self[start..<index])
      start = self.index(after: index)
    }
    return parts + [self[start...]]
  }
}

extension Character {
  fileprivate var isTagCharacter: Bool { isLetter || isNumber || "_@#%".contains(self) }
}
