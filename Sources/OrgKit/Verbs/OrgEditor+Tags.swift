extension OrgEditor {
  /// Changes the entry's own tags.
  mutating func changeTags(_ change: OrgTagChange) throws(Refusal) {
    if change == .align {
      for heading in buffer.headings.reversed() { alignTags(heading) }
      return
    }
    let heading = try entry()
    switch change {
    case .set(let tags): setTags(try Self.checked(tags), heading)
    case .change(let add, let remove):
      for tag in try Self.checked(remove) { toggleTag(tag, to: false, heading) }
      for tag in try Self.checked(add) { toggleTag(tag, to: true, heading) }
    case .toggle(let tag): toggleTag(try Self.checked([tag])[0], to: !tags(heading).contains(tag), heading)
    case .keys: setTags(try selectedTags(heading), heading)
    case .align: break
    }
  }

  /// Adds or removes a tag.
  mutating func toggleTag(_ tag: String, to isOn: Bool, _ heading: Int) {
    var tags = tags(heading)
    if !isOn { tags.removeAll { $0 == tag } } else if !tags.contains(tag) { tags.append(tag) }
    setTags(tags, heading)
  }

  private static func checked(_ tags: [String]) throws(Refusal) -> [String] {
    for tag in tags where tag.isEmpty || !tag.utf8.allSatisfy(\.isTagByte) {
      throw Refusal(.invalid, "\(tag) is not a tag: tags consist of letters, digits and _ @ # %")
    }
    return tags
  }

  /// Returns the tags after the answers of Org's selection by keys.
  private mutating func selectedTags(_ heading: Int) throws(Refusal) -> [String] {
    let table = TagTable(try tagDeclarations(), withKeys: true)
    guard table.hasKeys else {
      let text = try ask("Tags")
      return text.split { !$0.utf8.allSatisfy(\.isTagByte) }.map(String.init)
    }
    var current = tags(heading)
    var excludes = true
    while true {
      let key = try ask("Key of a tag; RET ends, SPC clears")
      if key == "RET" { return current }
      if key == "!" {
        excludes.toggle()
        continue
      }
      if key == "SPC" || key == " " {
        current = []
      } else if key == "TAB" {
        let tag = try ask("Tag")
        if let place = current.firstIndex(of: tag) { current.remove(at: place) } else { current.insert(tag, at: 0) }
      } else if let tag = table.tag(forKey: key) {
        table.toggle(tag, in: &current, excludes: excludes)
      }
      current = table.sorted(current)
    }
  }

  /// The tags of `#+TAGS` lines, or of `org-tag-alist`, as words with braces.
  private mutating func tagDeclarations() throws(Refusal) -> [String] {
    let lines = options.lines("TAGS")
    let persistent = Self.words(value("org-tag-persistent-alist"))
    return persistent
      + (lines.isEmpty
        ? Self.words(value("org-tag-alist")) : lines.flatMap { $0.split(separator: " ").map(String.init) })
  }

  private static func words(_ alist: OrgValue) -> [String] {
    (alist.elements ?? []).compactMap { element in
      if let name = element.text { return name }
      guard let pair = element.pair else { return nil }
      switch pair.first.symbol {
      case ":startgroup": return "{"
      case ":endgroup": return "}"
      case ":startgrouptag": return "["
      case ":endgrouptag": return "]"
      case ":grouptags": return ":"
      default: break
      }
      guard let name = pair.first.text else { return nil }
      let key = pair.rest.number.flatMap(UnicodeScalar.init).map { "(\($0))" } ?? ""
      return name + key
    }
  }
}

/// The declared tags with their keys and groups.
struct TagTable {
  private var tags: [(name: String, key: Character?)] = []
  /// The sets of tags of which an entry has at most one.
  private var groups: [[String]] = []

  /// Reads words such as `{`, `@work(w)`, `}`; with `withKeys`, tags without a key get a free one.
  init(_ words: [String], withKeys: Bool) {
    var isInGroup = false
    for word in words {
      switch word {
      case "{":
        groups.append([])
        isInGroup = true
      case "}": isInGroup = false
      case "[", "]", ":", "\\n": break
      default:
        let tag = Self.tag(word)
        tags.append(tag)
        if isInGroup { groups[groups.count - 1].append(tag.name) }
      }
    }
    if withKeys { assignKeys() }
  }

  private static func tag(_ word: String) -> (name: String, key: Character?) {
    guard word.last == ")", let open = word.lastIndex(of: "("), open > word.startIndex else { return (word, nil) }
    return (String(word[..<open]), word[word.index(after: open)...].first)
  }

  /// True if a tag was declared with a key.
  private(set) var hasKeys = false

  private mutating func assignKeys() {
    hasKeys = tags.contains { $0.key != nil }
    var used = Set(tags.compactMap(\.key))
    var free = UnicodeScalar(UInt8(ascii: "a"))
    for index in tags.indices where tags[index].key == nil {
      let name = tags[index].name
      let wanted = name.drop { $0 == "@" }.first.map { Character($0.lowercased()) }
      if let wanted, used.insert(wanted).inserted {
        tags[index].key = wanted
      } else {
        while used.contains(Character(free)) { free = UnicodeScalar(UInt8(free.value) + 1) }
        used.insert(Character(free))
        tags[index].key = Character(free)
      }
    }
  }

  func tag(forKey key: String) -> String? { tags.first { $0.key.map(String.init) == key }?.name }

  /// Adds or removes a tag at the front; another of its group is removed.
  func toggle(_ tag: String, in current: inout [String], excludes: Bool) {
    if let place = current.firstIndex(of: tag) {
      current.remove(at: place)
      return
    }
    if excludes {
      for group in groups where group.contains(tag) { current.removeAll { group.contains($0) } }
    }
    current.insert(tag, at: 0)
  }

  /// Returns the tags in the order of their declarations; others stay where they are.
  func sorted(_ current: [String]) -> [String] {
    func place(_ tag: String) -> Int? { tags.firstIndex { $0.name == tag } }
    var sorted: [String] = []
    for tag in current {
      let own = place(tag)
      let index = sorted.lastIndex { other in
        guard let own, let other = place(other) else { return true }
        return other <= own
      }
      sorted.insert(tag, at: index.map { $0 + 1 } ?? 0)
    }
    return sorted
  }
}
