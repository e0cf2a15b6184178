/// A random Org file that is easy to edit like a person would, and prints as Org.
struct Sketch {
  struct Entry {
    var level: Int
    /// The identity of the entry, if the file shows it.
    let id: Int
    var showsID = false
    var keyword: String?
    var priority: String?
    var title: [String]
    var tags: [String] = []
    var planning: [String] = []
    var properties: [String] = []
    var log: [String] = []
    var body: [String] = []
    var gap = 0
  }

  var header: [String] = []
  var entries: [Entry] = []

  /// A file with up to `size` entries.
  init(size: Int, _ random: inout SeededGenerator) {
    if Bool.random(using: &random) { header = ["#+title: \(Self.words(3, &random))", "#+filetags: :a:b:", ""] }
    let usesIDs = Bool.random(using: &random)
    let gap = Int.random(in: 0...1, using: &random)
    var level = 1
    for _ in 0..<Int.random(in: 1...size, using: &random) {
      level = min(max(1, level + Int.random(in: -2...1, using: &random)), 4)
      var entry = Self.entry(level: level, usesIDs: usesIDs, &random)
      entry.gap = gap
      entries.append(entry)
    }
  }

  static func entry(level: Int, usesIDs: Bool, _ random: inout SeededGenerator) -> Entry {
    var entry = Entry(
      level: level, id: Int.random(in: 0...(.max), using: &random),
      title: wordList(Int.random(in: 1...5, using: &random), &random))
    if chance(50, &random) { entry.keyword = ["TODO", "NEXT", "DONE"].randomElement(using: &random) }
    if chance(15, &random) { entry.priority = ["A", "B", "C"].randomElement(using: &random) }
    if chance(25, &random) { entry.tags = [tag(&random)] }
    if chance(20, &random) { entry.planning = ["SCHEDULED: \(date("<", &random))"] }
    entry.showsID = usesIDs && chance(60, &random)
    if chance(15, &random) { entry.properties.append(":Effort:   \(Int.random(in: 1...9, using: &random)):00") }
    if chance(15, &random) { entry.log = ["- State \"NEXT\"       from \"TODO\"       \(date("[", &random))"] }
    for _ in 0..<Int.random(in: 0...2, using: &random) { entry.body += block(&random) }
    return entry
  }

  static func block(_ random: inout SeededGenerator) -> [String] {
    switch Int.random(in: 0...6, using: &random) {
    case 0: (0..<3).map { _ in "- \(words(4, &random))" }
    case 1: (0..<4).map { _ in "- [ ] \(words(3, &random))" }
    case 2: (1...3).map { "\($0). \(words(3, &random))" }
    case 3: ["#+begin_src sh", "echo \(words(2, &random))", "ls \(words(2, &random))", "#+end_src"]
    case 4: ["| \(words(1, &random)) | 12 |", "| \(words(1, &random)) |  7 |"]
    case 5: ["", words(8, &random), words(7, &random)]
    default: [words(9, &random), words(8, &random), words(6, &random)]
    }
  }

  var text: [UInt8] { joined(header + entries.flatMap(\.lines)) }

  /// The file with an ID in every entry.
  var identified: Sketch {
    var sketch = self
    for index in entries.indices { sketch.entries[index].showsID = true }
    return sketch
  }

  /// The indices of an entry and all its descendants.
  func subtree(_ index: Int) -> Range<Int> {
    let level = entries[index].level
    return index..<(entries[(index + 1)...].firstIndex { $0.level <= level } ?? entries.count)
  }
}

extension Sketch.Entry {
  var lines: [String] {
    let stars = String(repeating: "*", count: level)
    let mark = priority.map { "[#\($0)]" }
    let tagText = tags.isEmpty ? nil : ":\(tags.joined(separator: ":")):"
    let headline = [stars, keyword, mark, title.joined(separator: " "), tagText].compactMap(\.self)
    let properties = (showsID ? [":ID:       \(id)"] : []) + properties
    return Array(repeating: "", count: gap) + [headline.joined(separator: " ")]
      + (planning.isEmpty ? [] : [planning.joined(separator: " ")])
      + (properties.isEmpty ? [] : [":PROPERTIES:"] + properties + [":END:"])
      + (log.isEmpty ? [] : [":LOGBOOK:"] + log + [":END:"]) + body
  }
}

// MARK: - Random words

extension Sketch {
  static func chance(_ percent: Int, _ random: inout SeededGenerator) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  static func wordList(_ count: Int, _ random: inout SeededGenerator) -> [String] {
    (0..<count).map { _ in word(&random) }
  }

  static func words(_ count: Int, _ random: inout SeededGenerator) -> String {
    wordList(count, &random).joined(separator: " ")
  }

  /// Returns a common word, so that titles repeat, or a unique one.
  static func word(_ random: inout SeededGenerator) -> String {
    chance(40, &random)
      ? ["garden", "letter", "paint", "Zürich", "roof", "meeting", "notes", "call", "lamp", "オルグ"]
        .randomElement(using: &random) ?? ""
      : "w\(Int.random(in: 0...99_999_999, using: &random))"
  }

  /// Returns true if a word is a unique one, not a common word or a tag.
  static func isUnique(_ word: String) -> Bool { word.hasPrefix("w") && word.dropFirst().allSatisfy(\.isNumber) }

  static func tag(_ random: inout SeededGenerator) -> String {
    ["home", "work", "urgent", "garden", "phone"].randomElement(using: &random) ?? ""
  }

  static func date(_ open: String, _ random: inout SeededGenerator) -> String {
    let (month, day) = (Int.random(in: 10...12, using: &random), Int.random(in: 10...28, using: &random))
    let time = "\(Int.random(in: 10...23, using: &random)):\(Int.random(in: 10...59, using: &random))"
    return "\(open)2024-\(month)-\(day) Mon \(time)\(open == "<" ? ">" : "]")"
  }
}
