/// The text of a file while a verb changes it. Positions are byte offsets, and lines end in a line feed only.
struct OrgBuffer: Sendable {
  /// The path of the file in its set.
  let path: String
  private(set) var text: [UInt8]
  /// True if the text was changed.
  private(set) var isChanged: Bool
  private let coding: Coding
  /// Positions that move with the text.
  private var marks: [Int] = []
  private var foundConflicts: ConflictedParts?

  /// What the bytes of the file have beyond the text.
  private struct Coding {
    let hasByteOrderMark: Bool
    let hasCarriageReturns: Bool
  }

  /// The buffer of a file; nil stands for a new file.
  init(path: String, content: [UInt8]?) {
    self.path = path
    let bytes = content ?? []
    let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    let isDOS = bytes.endsLinesWithCarriageReturns
    coding = Coding(hasByteOrderMark: hasMark, hasCarriageReturns: isDOS)
    let plain = hasMark ? Array(bytes.dropFirst(3)) : bytes
    text = isDOS ? Self.withoutCarriageReturns(plain) : plain
    isChanged = content == nil
  }

  /// The bytes of the file. A changed text ends in a line feed, as Emacs saves it.
  var content: [UInt8] {
    var bytes = text
    if isChanged, let last = bytes.last, last != .newline { bytes.append(.newline) }
    if coding.hasCarriageReturns {
      bytes = bytes.flatMap { $0 == .newline ? [.carriageReturn, .newline] : [$0] }
    }
    return coding.hasByteOrderMark ? [0xEF, 0xBB, 0xBF] + bytes : bytes
  }

  private static func withoutCarriageReturns(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    for index in bytes.indices {
      let isBeforeNewline = index + 1 < bytes.count && bytes[index + 1] == .newline
      if bytes[index] != .carriageReturn || !isBeforeNewline { text.append(bytes[index]) }
    }
    return text
  }

  /// The parts of the text that had a conflict before the first change.
  var conflicts: ConflictedParts {
    mutating get {
      if let foundConflicts { return foundConflicts }
      let found = ConflictedParts(of: self)
      foundConflicts = found
      return found
    }
  }

  /// True if a change has touched an entry with a conflict.
  var hasTouchedConflict: Bool { foundConflicts?.isTouched ?? false }

  // MARK: Changing

  /// Replaces a range; marks behind it move, marks inside it go to its start.
  mutating func replace(_ range: Range<Int>, with new: some Collection<UInt8>) {
    if range.count == new.count, text[range].elementsEqual(new) { return }
    if foundConflicts == nil { foundConflicts = ConflictedParts(of: self) }
    foundConflicts?.follow(range, newCount: new.count)
    text.replaceSubrange(range, with: new)
    isChanged = true
    let shift = new.count - range.count
    for index in marks.indices {
      if marks[index] >= range.upperBound && marks[index] > range.lowerBound {
        marks[index] += shift
      } else if marks[index] > range.lowerBound {
        marks[index] = range.lowerBound
      }
    }
  }

  mutating func replace(_ range: Range<Int>, with new: String) { replace(range, with: Array(new.utf8)) }

  /// Inserts text at a position; marks at the position stay before it.
  mutating func insert(_ new: String, at position: Int) { replace(position..<position, with: Array(new.utf8)) }

  mutating func insert(_ new: some Collection<UInt8>, at position: Int) { replace(position..<position, with: new) }

  mutating func delete(_ range: Range<Int>) { replace(range, with: []) }

  /// Creates a mark: a position that moves with the text.
  mutating func mark(_ position: Int) -> Mark {
    marks.append(position)
    return Mark(index: marks.count - 1)
  }

  /// Creates a mark for an entry, which moves when text is inserted right before its headline.
  mutating func mark(entry heading: Int) -> Mark { mark(min(heading + 1, text.count)) }

  /// Returns the headline of an entry's mark.
  func heading(at mark: Mark) -> Int { lineStart(self[mark]) }

  /// A position that moves with the text.
  struct Mark: Sendable {
    fileprivate let index: Int
  }

  /// Returns the present position of a mark.
  subscript(mark: Mark) -> Int { marks[mark.index] }

  // MARK: Lines

  var count: Int { text.count }

  /// Returns the byte at a position; nil at the end.
  func byte(at position: Int) -> UInt8? { position < text.count ? text[position] : nil }

  func lineStart(_ position: Int) -> Int {
    var start = min(position, text.count)
    let bytes = text.span
    while start > 0, bytes[start - 1] != .newline { start -= 1 }
    return start
  }

  /// Returns the position of the line's feed, or the end of the text.
  func lineEnd(_ position: Int) -> Int { text.span.first(.newline, from: min(position, text.count), to: text.count) }

  /// Returns the start of the next line, or the end of the text.
  func nextLine(_ position: Int) -> Int { min(lineEnd(position) + 1, text.count) }

  /// Returns the start of the line above; 0 in the first line.
  func previousLine(_ position: Int) -> Int {
    let start = lineStart(position)
    return start == 0 ? 0 : lineStart(start - 1)
  }

  func line(_ position: Int) -> Bytes { text[lineStart(position)..<lineEnd(position)] }

  func isBlankLine(_ position: Int) -> Bool { line(position).isBlank }

  /// True at the start of a line.
  func isLineStart(_ position: Int) -> Bool { position == 0 || text[position - 1] == .newline }

  /// Returns the number of a line, counted from 1.
  func lineNumber(_ position: Int) -> Int { text[..<position].reduce(1) { $1 == .newline ? $0 + 1 : $0 } }

  /// Returns the start of a line by its number, or of the last line.
  func start(ofLine number: Int) -> Int {
    var position = 0
    for _ in 1..<max(1, number) { position = nextLine(position) }
    return position
  }

  /// Returns the first non-blank position at or after one, or the end.
  func skipBlanks(_ position: Int) -> Int {
    var position = position
    while position < text.count, text[position] == .space || text[position] == .tab { position += 1 }
    return position
  }

  /// Returns the first position at or after one that is not white space.
  func skipWhiteSpace(_ position: Int) -> Int {
    var position = position
    while position < text.count, text[position].isBlankOrNewline { position += 1 }
    return position
  }

  /// Returns the end of the text before a position without the white space before it.
  func skipWhiteSpaceBackwards(_ position: Int, to limit: Int = 0) -> Int {
    var position = position
    while position > limit, text[position - 1].isBlankOrNewline { position -= 1 }
    return position
  }

  func skipBlanksBackwards(_ position: Int, to limit: Int = 0) -> Int {
    var position = position
    while position > limit, text[position - 1] == .space || text[position - 1] == .tab { position -= 1 }
    return position
  }
}

extension [UInt8] {
  /// True if the text has lines, and all of them end in a carriage return and a line feed: then new lines do, too.
  package var endsLinesWithCarriageReturns: Bool {
    guard let first = firstIndex(of: .newline), first > 0, self[first - 1] == .carriageReturn else { return false }
    return indices.allSatisfy { self[$0] != .newline || $0 > 0 && self[$0 - 1] == .carriageReturn }
  }
}
