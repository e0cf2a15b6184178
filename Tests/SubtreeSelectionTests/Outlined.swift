import SyncKit

/// A simple reading of an Org text, independent of OrgKit: the lines above the first headline, and entries in order.
struct Outlined {
  struct Entry {
    var level: Int
    var title: String
    var tags: [String]
    var body: [String]
  }

  var preamble: [String] = []
  var entries: [Entry] = []

  init(_ text: String) {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      let stars = line.prefix { $0 == "*" }.count
      if stars > 0, line.dropFirst(stars).first == " " {
        var words = line.dropFirst(stars + 1).split(separator: " ").map(String.init)
        var tags: [String] = []
        if let last = words.last, last.hasPrefix(":"), last.hasSuffix(":"), last.count > 1 {
          tags = last.split(separator: ":").map(String.init)
          words.removeLast()
        }
        entries.append(Entry(level: stars, title: words.joined(separator: " "), tags: tags, body: []))
      } else if entries.isEmpty {
        preamble.append(line)
      } else {
        entries[entries.count - 1].body.append(line)
      }
    }
    if entries.isEmpty, preamble.last == "" { preamble.removeLast() }
    if let last = entries.indices.last, entries[last].body.last == "" { entries[last].body.removeLast() }
  }

  var text: String {
    let lines =
      preamble
      + entries.flatMap { entry in
        let tags = entry.tags.isEmpty ? "" : " :\(entry.tags.joined(separator: ":")):"
        return ["\(String(repeating: "*", count: entry.level)) \(entry.title)\(tags)"] + entry.body
      }
    return lines.map { $0 + "\n" }.joined()
  }

  func subtree(_ index: Int) -> Range<Int> {
    let end = entries[(index + 1)...].firstIndex { $0.level <= entries[index].level } ?? entries.count
    return index..<end
  }

  /// The own tags of an entry and of all entries above it.
  func allTags(_ index: Int) -> Set<String> {
    var tags = Set(entries[index].tags)
    var level = entries[index].level
    for above in entries[..<index].reversed() where above.level < level {
      tags.formUnion(above.tags)
      level = above.level
    }
    return tags
  }

  func parentTags(_ index: Int) -> Set<String> {
    var copy = self
    copy.entries[index].tags = []
    return copy.allTags(index)
  }

  /// Moves a subtree behind the subtree of another entry, as its sibling or last child.
  mutating func move(_ index: Int, behind target: Int, asChild: Bool) {
    let range = subtree(index)
    guard !range.contains(target) else { return }
    let shift = entries[target].level + (asChild ? 1 : 0) - entries[index].level
    var moved = Array(entries[range])
    for place in moved.indices { moved[place].level += shift }
    guard moved.allSatisfy({ $0.level < 12 }) else { return }
    let end = subtree(target).upperBound
    if end <= range.lowerBound {
      entries.removeSubrange(range)
      entries.insert(contentsOf: moved, at: end)
    } else {
      entries.insert(contentsOf: moved, at: end)
      entries.removeSubrange(range)
    }
  }
}

/// Returns the tokens of a kind in a text: a letter and a number between brackets.
func tokens(_ kinds: String, in text: String) -> Set<String> {
  var found: Set<String> = []
  for part in text.split(separator: "<") {
    guard let end = part.firstIndex(of: ">") else { continue }
    let token = part[..<end]
    guard let kind = token.first, kinds.contains(kind), token.dropFirst().allSatisfy(\.isNumber), token.count > 1 else {
      continue
    }
    found.insert(String(token))
  }
  return found
}
