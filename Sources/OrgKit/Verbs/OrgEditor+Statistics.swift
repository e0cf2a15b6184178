extension OrgEditor {
  /// Updates the cookies of the parents for the states of their children.
  mutating func updateParentStatistics(_ heading: Int) {
    guard isOn("org-provide-todo-statistics", default: true), let parent = buffer.parent(heading) else { return }
    let (data, owner) = inheritedPropertyWithOwner("COOKIE_DATA", parent)
    let isRecursive = !isOn("org-hierarchical-todo-statistics", default: true) || data.hasWord("recursive")
    let childLevel = buffer.level(at: heading) ?? 0
    var next: Int? = parent
    while let entry = next, entry >= owner ?? 0 {
      if localProperty("COOKIE_DATA", entry)?.lowercased().hasWord("checkbox") ?? false { return }
      updateStateCookies(entry, childLevel: childLevel, isRecursive: isRecursive)
      guard isRecursive else { return }
      next = buffer.parent(entry)
    }
  }

  /// Writes the cookies of a headline for the states of its children.
  private mutating func updateStateCookies(_ entry: Int, childLevel: Int, isRecursive: Bool) {
    guard !statisticsCookies(entry).isEmpty else { return }
    let (all, done) = countStates(entry, childLevel: isRecursive ? nil : childLevel)
    writeCookies(entry, done: done, all: all)
  }

  /// Counts the tasks below an entry: of one level, or all of them.
  mutating func countStates(_ entry: Int, childLevel: Int?) -> (all: Int, done: Int) {
    let statistics = value("org-provide-todo-statistics", default: .yes)
    let states = options.states
    var (all, done) = (0, 0)
    for child in buffer.headings(in: entry..<buffer.subtreeEnd(entry)).dropFirst() {
      let counts = childLevel == nil || buffer.level(at: child) == childLevel
      let keyword = counts ? keyword(child) : nil
      let isDone = states.isDone(keyword)
      if statistics == .symbol("all-headlines") {
        all += 1
      } else if let lists = statistics.elements {
        let (open, closed) = Self.countedStates(lists)
        if keyword.map({ open.contains($0) }) ?? false || isDone && (closed?.contains(keyword ?? "") ?? true) {
          all += 1
        }
      } else if keyword != nil {
        all += 1
      }
      if isDone { done += 1 }
    }
    return (all, done)
  }

  /// The states in a list of states, or in a list of two lists.
  private static func countedStates(_ value: [OrgValue]) -> (open: [String], done: [String]?) {
    if value.first?.text != nil { return (value.compactMap(\.text), nil) }
    return (
      value.first?.elements?.compactMap(\.text) ?? [], value.dropFirst().first?.elements?.compactMap(\.text) ?? []
    )
  }

  /// Returns the statistics cookies of a headline.
  func statisticsCookies(_ heading: Int) -> [Range<Int>] { cookies(in: heading..<buffer.lineEnd(heading)) }

  /// Returns the statistics cookies in a range: `[1/3]`, `[33%]`, `[/]`, `[%]`.
  func cookies(in range: Range<Int>) -> [Range<Int>] {
    var found: [Range<Int>] = []
    var position = range.lowerBound
    while let open = buffer.text[position..<range.upperBound].firstIndex(of: UInt8(ascii: "[")) {
      let content = buffer.text[(open + 1)..<range.upperBound].prefix {
        $0.isDigit || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "%")
      }
      let slashes = content.filter { $0 == UInt8(ascii: "/") }.count
      let isPercent = content.last == UInt8(ascii: "%") && content.dropLast().allSatisfy(\.isDigit)
      let isFraction = slashes == 1 && !content.contains(UInt8(ascii: "%"))
      if content.endIndex < range.upperBound, buffer.text[content.endIndex] == UInt8(ascii: "]"),
        isPercent || isFraction
      {
        found.append(open..<content.endIndex + 1)
        position = content.endIndex + 1
      } else {
        position = open + 1
      }
    }
    return found
  }

  /// Writes a count into the cookies of a headline, and aligns its tags.
  mutating func writeCookies(_ heading: Int, done: Int, all: Int) {
    for cookie in statisticsCookies(heading).reversed() { writeCookie(cookie, done: done, all: all) }
    alignTagsIfWanted(heading)
  }

  /// Writes a count into a cookie; percentages are rounded down.
  mutating func writeCookie(_ cookie: Range<Int>, done: Int, all: Int) {
    let isPercent = buffer.text[cookie].contains(UInt8(ascii: "%"))
    buffer.replace(cookie, with: isPercent ? "[\(100 * done / max(1, all))%]" : "[\(done)/\(all)]")
  }
}

extension String {
  /// Returns true if one of the words is this one.
  func hasWord(_ word: String) -> Bool { split { !$0.isLetter && !$0.isNumber }.contains { $0 == word } }
}

extension String? {
  fileprivate func hasWord(_ word: String) -> Bool { self?.hasWord(word) ?? false }
}
