/// The numbers of footnotes, which follow from the order of the notes: a side that inserts a note renumbers those below
/// it, and two sides can give one number to two notes.
///
/// Notes are matched by their texts. Each gets one number, in all versions and in all references, before the versions merge.
struct FootnoteNumbers {
  /// A note of the base or of either side, with its number in each version that has it.
  private struct Note {
    var numbers: Three<Int?>
    let text: [UInt8]

    /// True if a side lacks a note of the base.
    var isDeleted: Bool { numbers.base != nil && numbers.sides.contains { $0 == nil } }

    /// The number that the note has where it was added; 0 for a note of the base.
    var addedNumber: Int { numbers.ours ?? numbers.theirs ?? 0 }

    /// The numbers that the note may have, the best one first.
    var candidates: [Int] {
      let settled = numbers.settled.flatMap(\.self)
      return (settled.map { [$0] } ?? []) + numbers.sides.compactMap(\.self).sorted() + numbers.all.compactMap(\.self)
    }
  }

  private let files: Three<NumberedFile>
  private var notes: [Note] = []

  /// Returns the versions with one number for each note; nil if nothing changes, or if a number has several notes.
  static func unified(_ table: EntityTable) -> Three<[UInt8]>? {
    guard isConcerned(table) else { return nil }
    let files = table.outlines.map { NumberedFile($0.text) }
    guard files.all.allSatisfy(\.isRegular) else { return nil }
    let numbers = FootnoteNumbers(files)
    let final = numbers.final()
    func renumbered(_ version: Version) -> [Int: Int] {
      zip(numbers.notes, final).reduce(into: [:]) { map, note in
        if let own = note.0.numbers[version], own != note.1 { map[own] = note.1 }
      }
    }
    let maps = Three(base: renumbered(.base), ours: renumbered(.ours), theirs: renumbered(.theirs))
    if maps.all.allSatisfy(\.isEmpty) { return nil }
    return files.zip(maps).map { file, map in file.text(with: map) }
  }

  /// Returns true if an entry that a side changed has a footnote.
  private static func isConcerned(_ table: EntityTable) -> Bool {
    table.entities.indices.contains { entity in
      [Version.ours, .theirs].contains { side in
        guard !table.isSame(entity, side, .base) else { return false }
        return [side, .base].contains { version in
          guard let node = table.entities[entity][version] else { return false }
          return NumberedFile.hasNumber(table.outlines[version].entry(node))
        }
      }
    }
  }

  private init(_ files: Three<NumberedFile>) {
    self.files = files
    let (ours, theirs) = (Self.matched(files.base, files.ours), Self.matched(files.base, files.theirs))
    for (number, text) in files.base.notes.sorted(by: { $0.key < $1.key }) {
      notes.append(Note(numbers: Three(base: number, ours: ours[number], theirs: theirs[number]), text: text))
    }
    let new = (
      ours: files.ours.notes.filter { !ours.values.contains($0.key) },
      theirs: files.theirs.notes.filter { !theirs.values.contains($0.key) }
    )
    let pairs = Self.matched(NumberedFile(notes: new.ours), NumberedFile(notes: new.theirs), threshold: Self.likeness)
    var added = new.ours.map { number, text in
      Note(numbers: Three(base: nil, ours: number, theirs: pairs[number]), text: text)
    }
    added += new.theirs.filter { !pairs.values.contains($0.key) }.map { number, text in
      Note(numbers: Three(base: nil, ours: nil, theirs: number), text: text)
    }
    // Equal notes of one side stay in its order.
    notes += added.sorted { one, other in
      one.text == other.text ? one.addedNumber < other.addedNumber : precedes(one.text, other.text)
    }
  }

  /// Notes with this much of their words in common are one note.
  private static let likeness = 0.5
  /// The limit above which notes are not compared pairwise.
  private static let limit = 400

  /// Returns the numbers in the second version of the notes of the first one, by their numbers there: first those with equal texts,
  /// then the most similar ones, then, unless `threshold` is positive, those with the same number.
  private static func matched(_ first: NumberedFile, _ second: NumberedFile, threshold: Double = 0) -> [Int: Int] {
    var pairs: [Int: Int] = [:]
    var taken: Set<Int> = []
    func pair(_ number: Int, _ other: Int) {
      if pairs[number] == nil, taken.insert(other).inserted { pairs[number] = other }
    }
    for (number, text) in first.notes where second.notes[number] == text { pair(number, number) }
    let owners = Dictionary(grouping: second.notes.keys.filter { !taken.contains($0) }) { second.notes[$0] }
    for number in first.notes.keys.sorted() where pairs[number] == nil {
      for other in (owners[first.notes[number]] ?? []).sorted() where pairs[number] == nil { pair(number, other) }
    }
    for candidate in alike(first, second, pairs, taken) { pair(candidate.0, candidate.1) }
    if threshold > 0 { return pairs }
    for number in first.notes.keys where second.notes[number] != nil { pair(number, number) }
    return pairs
  }

  /// Returns the pairs of similar notes without a partner, the most similar ones first.
  private static func alike(
    _ first: NumberedFile, _ second: NumberedFile, _ pairs: [Int: Int], _ taken: Set<Int>
  ) -> [(Int, Int)] {
    func words(_ file: NumberedFile, _ isOpen: (Int) -> Bool) -> [(number: Int, words: WordBag)] {
      file.notes.filter { isOpen($0.key) }.map { ($0.key, WordBag($0.value[...])) }
    }
    let (left, right) = (words(first) { pairs[$0] == nil }, words(second) { !taken.contains($0) })
    guard left.count * right.count <= limit * limit else { return [] }
    let scored = left.flatMap { one in
      right.map { (one.number, $0.number, one.words.likeness(to: $0.words)) }
    }
    return scored.filter { $0.2 >= likeness }.sorted { ($1.2, $0.0, $0.1) < ($0.2, $1.0, $1.1) }.map { ($0.0, $0.1) }
  }

  /// Returns the number of each note in the result. If all versions count their notes without gaps, so does the result.
  private func final() -> [Int] { counted() ?? chosen() }

  /// Returns the places of the notes in the merged order; nil if the numbers of a version have gaps, or a reference has no note. A
  /// note that a side deleted comes last: its number is free for the notes below it.
  private func counted() -> [Int]? {
    guard files.all.allSatisfy(\.isCounted) else { return nil }
    func order(_ version: Version) -> [Int] {
      notes.indices.filter { notes[$0].numbers[version] != nil }
        .sorted { notes[$0].numbers[version] ?? 0 < notes[$1].numbers[version] ?? 0 }
    }
    let orders = Three(base: order(.base), ours: order(.ours), theirs: order(.theirs))
    let survivors = notes.indices.filter { !notes[$0].isDeleted }
    let merged = SequenceMerge.merge(orders, survivors: Set(survivors), text: { notes[$0].text })
    let deleted = notes.indices.filter { notes[$0].isDeleted }
    var numbers = Array(repeating: 0, count: notes.count)
    for (place, note) in (merged + deleted).enumerated() { numbers[note] = place + 1 }
    return numbers
  }

  /// Returns the numbers of the base unless a side changed them; for a new note, the one that a side gave it. If two notes would
  /// have the same number, the later one gets the next free number. A note that a side deleted is numbered last: its number is
  /// free for the others, which this side may have renumbered.
  private func chosen() -> [Int] {
    var taken: Set<Int> = []
    var next = (files.all.map(\.highest).max() ?? 0) + 1
    var numbers = Array(repeating: 0, count: notes.count)
    let places = notes.indices
    for place in places.filter({ !notes[$0].isDeleted }) + places.filter({ notes[$0].isDeleted }) {
      if let number = notes[place].candidates.first(where: { !taken.contains($0) }) {
        taken.insert(number)
        numbers[place] = number
      } else {
        numbers[place] = next
        next += 1
      }
    }
    return numbers
  }
}

/// A file and the positions of its footnote numbers.
private struct NumberedFile {
  /// The text of each note, by its number.
  private(set) var notes: [Int: [UInt8]] = [:]
  /// True if each number has at most one note, and no reference contains its note.
  private(set) var isRegular = true
  /// The highest number of a note or of a reference, which may have no note.
  var highest: Int { places.map(\.number).max() ?? 0 }
  /// True if the notes have the numbers from one to their count, and references have no others.
  var isCounted: Bool { highest == notes.count && notes.keys.allSatisfy { $0 > 0 } }
  private var text: [UInt8] = []
  private var places: [(range: Range<Int>, number: Int)] = []

  init(notes: [Int: [UInt8]]) {
    self.notes = notes
  }

  init(_ text: [UInt8]) {
    self.text = text
    let bytes = text.span
    var enclosing: [UInt8]?
    var open: Int?
    var start = 0
    var note = Self.nextNote(bytes, from: 0)
    var delimiter = bytes.first(UInt8(ascii: "#"), from: 0, to: bytes.count)
    // Only lines with a number or a delimiter matter, and those that continue a note.
    while start < bytes.count, note < bytes.count || open != nil {
      if open == nil {
        start = bytes.lineStart(at: enclosing == nil ? min(note, delimiter) : delimiter, from: start)
      }
      let content = bytes.firstNonBlank(from: start)
      let end = bytes.lineEnd(from: content, to: bytes.count)
      let mayBeDelimiter = content < end && bytes[content] == UInt8(ascii: "#")
      if let name = enclosing {
        if mayBeDelimiter, Self.ends(text[content..<end], name) { enclosing = nil }
      } else {
        if mayBeDelimiter { enclosing = Self.codeBlock(text[content..<end]) }
        let isFixedWidth = content < end && Self.isFixedWidth(bytes, content, end)
        if enclosing != nil || content == end || bytes[start] == .star || isFixedWidth { open = nil }
        if enclosing == nil, !isFixedWidth, note < end || open != nil { add(text[start..<end], to: &open) }
      }
      start = end + 1
      if note < start { note = Self.nextNote(bytes, from: min(start, bytes.count)) }
      if delimiter < start {
        delimiter = bytes.first(UInt8(ascii: "#"), from: min(start, bytes.count), to: bytes.count)
      }
    }
  }

  /// Returns the position of the next `[fn:`, or the count.
  private static func nextNote(_ bytes: Span<UInt8>, from start: Int) -> Int {
    var position = bytes.first(UInt8(ascii: "["), from: start, to: bytes.count)
    while position + 1 < bytes.count, bytes[position + 1] != UInt8(ascii: "f") || !bytes.has("fn:", at: position + 1) {
      position = bytes.first(UInt8(ascii: "["), from: position + 1, to: bytes.count)
    }
    return position + 1 < bytes.count ? position : bytes.count
  }

  /// Records the numbers in a line, and its text if it begins or continues a note.
  private mutating func add(_ line: Bytes, to open: inout Int?) {
    let found = Self.numbers(in: line)
    if let first = found.first, first.range.lowerBound == line.startIndex + 4 {
      if notes[first.number] != nil { isRegular = false }
      notes[first.number] = line[(first.range.upperBound + 1)...].collapsed
      open = first.number
    } else if let open {
      notes[open, default: []] += [.space] + line.collapsed
    }
    if found.contains(where: { $0.isInline }) { isRegular = false }
    places += found.map { ($0.range, $0.number) }
  }

  private static func isFixedWidth(_ bytes: Span<UInt8>, _ content: Int, _ end: Int) -> Bool {
    bytes[content] == .colon && (content + 1 == end || bytes[content + 1] == .space)
  }

  /// Returns true if a line ends the block of code with a name.
  private static func ends(_ content: Bytes, _ name: [UInt8]) -> Bool {
    content.hasPrefix(ignoringCase: "#+end_") && content.dropFirst(6).trimmed.lowercased == name
  }

  /// The name of the block of code that a line begins; nil for other lines.
  private static func codeBlock(_ content: Bytes) -> [UInt8]? {
    guard content.hasPrefix(ignoringCase: "#+begin_") else { return nil }
    let name = content.dropFirst(8).prefix { !$0.isBlank }.lowercased
    return ["src", "example", "export", "comment"].contains { name.elementsEqual($0.utf8) } ? name : nil
  }

  static func hasNumber(_ text: Bytes) -> Bool { !numbers(in: text).isEmpty }

  /// The numbers in `[fn:1]`, and in `[fn:1:` with the note inside.
  private static func numbers(in text: Bytes) -> [(range: Range<Int>, number: Int, isInline: Bool)] {
    var found: [(range: Range<Int>, number: Int, isInline: Bool)] = []
    var rest = text
    while let bracket = rest.firstIndex(of: UInt8(ascii: "[")) {
      rest = rest[(bracket + 1)...]
      guard rest.starts(with: "fn:".utf8) else { continue }
      let digits = rest[(bracket + 4)...].prefix(9).prefix { $0.isDigit }
      guard let number = Int(digits.string), let end = rest[digits.endIndex...].first,
        end == UInt8(ascii: "]") || end == .colon
      else { continue }
      found.append((digits.startIndex..<digits.endIndex, number, end == .colon))
    }
    return found
  }

  /// The text with other numbers.
  func text(with numbers: [Int: Int]) -> [UInt8] {
    if numbers.isEmpty { return text }
    var result: [UInt8] = []
    var start = 0
    for place in places {
      guard let number = numbers[place.number] else { continue }
      result += text[start..<place.range.lowerBound] + Array("\(number)".utf8)
      start = place.range.upperBound
    }
    return result + text[start...]
  }
}
