/// Org files as the test that made them knows them: entries have numbers, so the place and text of each are known by
/// construction. It only writes files; it reads none, and shares no code with OrgKit and SubtreeSelection.
struct Outlines {
  struct Entry: Equatable {
    var state = ""
    var priority = ""
    var isComment = false
    var title = ""
    var tags: [String] = []
    var properties: [String] = []
    var log: [String] = []
    var body: [String] = []
    /// True if a blank line is above the headline.
    var hasGap = false
  }

  struct File {
    var name: String
    var preamble: [String] = []
    var lineEnd = "\n"
    /// What is behind the last line of the file.
    var ending = "\n"

    /// The lines above the first headline without which headlines and tags cannot be read.
    var settings: [String] { preamble.filter { $0.hasPrefix("#+TODO:") || $0.hasPrefix("#+FILETAGS:") } }

    var tags: Set<String> {
      let lines = preamble.filter { $0.hasPrefix("#+FILETAGS:") }
      return Set(lines.flatMap { $0.dropFirst(11).split { $0 == ":" || $0 == " " }.map(String.init) })
    }

    /// The tags that exclude an entry; `salary` does where it is a member of the group `private`.
    var excluding: Set<String> {
      let isGroup = preamble.contains { $0.hasPrefix("#+TAGS: [ private :") }
      return isGroup ? ["private", "Private", "salary"] : ["private", "Private"]
    }
  }

  /// The entries by number; numbers are positive.
  var entries: [Int: Entry] = [:]
  /// The files by number; numbers are negative.
  var files: [Int: File] = [:]
  /// The entries below each entry and each file, in order.
  private(set) var children: [Int: [Int]] = [:]
  /// The entry or file directly above each entry.
  private(set) var parents: [Int: Int] = [:]

  // MARK: Reading

  func children(of node: Int) -> [Int] { children[node] ?? [] }

  func file(of node: Int) -> Int {
    var node = node
    while node > 0, let parent = parents[node] { node = parent }
    return node
  }

  /// An entry or file and everything below it, in the order of the file.
  func subtree(_ node: Int) -> [Int] { [node] + children(of: node).flatMap(subtree) }

  func level(_ node: Int) -> Int { node < 0 ? 0 : 1 + (parents[node].map(level) ?? 0) }

  /// The tags of an entry and of everything above it.
  func tags(_ node: Int) -> Set<String> {
    if node < 0 { return files[node]?.tags ?? [] }
    return Set(entries[node]?.tags ?? []).union(parents[node].map(tags) ?? [])
  }

  /// The entries of a file in order.
  func entries(in file: Int) -> [Int] { Array(subtree(file).dropFirst()) }

  /// The last entry of a file with its text.
  func lastEntry(in file: Int) -> LastEntry? {
    entries(in: file).last.flatMap { node in entries[node].map { LastEntry(node: node, entry: $0) } }
  }

  struct LastEntry: Equatable {
    let node: Int
    let entry: Entry
  }

  // MARK: Changing

  mutating func insert(_ node: Int, below parent: Int, at index: Int) {
    children[parent, default: []].insert(node, at: index)
    parents[node] = parent
  }

  /// Takes an entry with everything below it from its place.
  mutating func detach(_ node: Int) {
    guard let parent = parents.removeValue(forKey: node) else { return }
    children[parent]?.removeAll { $0 == node }
  }

  mutating func remove(_ node: Int) {
    for other in subtree(node) {
      children[other] = nil
      if other != node { parents[other] = nil }
      entries[other] = nil
    }
    detach(node)
    files[node] = nil
  }

  /// Puts other entries into the place of one.
  mutating func replace(_ node: Int, by others: [Int]) {
    guard let parent = parents[node], let index = children[parent]?.firstIndex(of: node) else { return }
    detach(node)
    for (offset, other) in others.enumerated() {
      detach(other)
      insert(other, below: parent, at: index + offset)
    }
  }

  // MARK: Selecting

  /// Returns what a remote with `match = "+mobile-private"` has of these files.
  func selected() -> Outlines {
    var part = Outlines()
    for (number, file) in files {
      collect(below: number, tags(number), excluding: file.excluding, top: number, into: &part)
      guard let first = part.children[number]?.first else { continue }
      part.files[number] = File(name: file.name, preamble: file.settings, lineEnd: file.lineEnd, ending: file.lineEnd)
      if file.settings.isEmpty { part.entries[first]?.hasGap = false }
    }
    return part
  }

  private func collect(
    below node: Int, _ above: Set<String>, excluding: Set<String>, top: Int, into part: inout Outlines
  ) {
    for child in children(of: node) {
      guard let entry = entries[child] else { continue }
      let tags = above.union(entry.tags)
      guard tags.contains("mobile"), tags.isDisjoint(with: excluding) else {
        collect(below: child, tags, excluding: excluding, top: top, into: &part)
        continue
      }
      let parent = part.entries[node] == nil ? top : node
      part.entries[child] = entry
      part.insert(child, below: parent, at: part.children(of: parent).count)
      collect(below: child, tags, excluding: excluding, top: top, into: &part)
    }
  }

  // MARK: Writing

  func lines(of node: Int, level: Int) -> [String] {
    guard let entry = entries[node] else { return [] }
    var words = [String(repeating: "*", count: level), entry.state, entry.priority]
    words += [entry.isComment ? "COMMENT" : "", entry.title]
    words.append(entry.tags.isEmpty ? "" : ":\(entry.tags.joined(separator: ":")):")
    var lines = (entry.hasGap ? [""] : []) + [words.filter { !$0.isEmpty }.joined(separator: " ")]
    if !entry.properties.isEmpty { lines += [":PROPERTIES:"] + entry.properties + [":END:"] }
    if !entry.log.isEmpty { lines += [":LOGBOOK:"] + entry.log + [":END:"] }
    return lines + entry.body
  }

  func text(of number: Int) -> [UInt8] {
    guard let file = files[number] else { return [] }
    let all = file.preamble + entries(in: number).flatMap { lines(of: $0, level: level($0)) }
    guard !all.isEmpty else { return [] }
    return Array((all.joined(separator: file.lineEnd) + file.ending).utf8)
  }

  /// The files by name.
  var texts: [String: [UInt8]] {
    Dictionary(uniqueKeysWithValues: files.map { ($0.value.name, text(of: $0.key)) })
  }
}
