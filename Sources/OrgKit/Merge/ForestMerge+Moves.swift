// Flags lines that one side deleted and the other moved, and lines that both sides moved to different places: only the user
// knows which of the two is right.

extension ForestMerge {
  /// Marks the lines, items, rows and entries without text that are in the result although one side deleted them, or twice.
  mutating func flagMoves() {
    let entries = movableEntries()
    let versions = Three(
      base: entries.map(\.versions.base), ours: entries.map(\.versions.ours), theirs: entries.map(\.versions.theirs))
    let balance = LineBalance(versions, result: entries.map(\.result))
    if balance.excess.isEmpty { return }
    var left = balance.excess.mapValues { Three(base: 0, ours: $0.count, theirs: $0.count) }
    for entry in entries {
      mark(entry.suspects(balance.excess, &left), in: entry.entity)
    }
  }

  /// Returns the entries that a side changed, in the order of the result, then those that are not in it.
  private func movableEntries() -> [MovableEntry] {
    let files = table.entities.indices.filter { structure.isFile($0) }
    let written = files.filter { structure.isAlive[$0] }.flatMap { members(of: $0) }
    let gone = table.entities.indices.filter { !structure.isAlive[$0] }
    // An entry that a conflict keeps has all its lines already, flagged.
    return (written + gone).filter { !isUntouched($0) && !structure.isKept[$0] }.map(movableEntry)
  }

  private func isUntouched(_ entity: Int) -> Bool {
    table.isSame(entity, .ours, .base) && table.isSame(entity, .theirs, .base)
  }

  private func movableEntry(_ entity: Int) -> MovableEntry {
    let headlines = headlines(of: entity)
    let lines = sections(of: entity).zip(headlines).map { section, headline in
      section.map { Section($0, isPreamble: headline == nil).bodyLines } ?? []
    }
    let isAlive = structure.isAlive[entity]
    let parts = isAlive ? takenApart(entity) : MergedEntry()
    let texts = MovableTexts(lines, result: isAlive ? parts.body.map(\.settledLine) : nil)
    // Lines that both sides deleted with their entry were not moved out of it.
    let isGone = table.entities[entity].sides.allSatisfy { $0 == nil }
    var entry = MovableEntry(entity: entity, versions: isGone ? texts.versions.map { _ in [] } : texts.versions)
    entry.pieces = texts.result
    if texts.versions.all.allSatisfy({ $0.allSatisfy { $0 == nil } }) {
      entry.titles = headlines.map { $0.flatMap { MovableLine(title: $0.title) } }
      if isAlive { entry.title = parts.headline.flatMap { MovableLine(title: $0.title) } }
    }
    return entry
  }

  private mutating func mark(_ suspects: [MovableEntry.Suspect], in entity: Int) {
    if suspects.isEmpty { return }
    var entry = takenApart(entity)
    var conflicts: [FieldConflict] = []
    // From the end, so that the places remain valid.
    for suspect in suspects.reversed() {
      guard let places = suspect.places else {
        conflicts.append(
          FieldConflict(.entry, "entry".utf8, standing: Array("keep".utf8), other: Array("delete".utf8)))
        returned[entity] = suspect.lackedBy.first
        continue
      }
      let lines = entry.body[places].flatMap(\.shown)
      let variants = Three(
        base: [], ours: suspect.lackedBy.contains(.ours) ? [] : lines,
        theirs: suspect.lackedBy.contains(.theirs) ? [] : lines)
      entry.body.replaceSubrange(places, with: [.disputed(shown: lines, variants)])
      let texts = lines.map { line in line[(ListMarker(line)?.contentStart ?? line.startIndex)...].collapsed }
      let text = Array(texts.joined(separator: [.space]))
      conflicts.append(FieldConflict(.body, suspect.kind.name.utf8, standing: text, other: nil))
    }
    contents[entity] = .merged(entry)
    flag(entity, conflicts.reversed())
  }
}

extension Piece {
  /// The line; nil for a conflict.
  fileprivate var settledLine: Bytes? { if case .line(let line) = self { line } else { nil } }
}

/// The meanings of the lines of an entry in all versions and in the result.
///
/// The lines that all of them have at their beginnings and at their ends are read once.
private struct MovableTexts {
  let versions: Three<[MovableLine?]>
  private(set) var result: [MovableLine?] = []

  /// Reads the lines of an entry; `result` has nil for conflicts, and is nil if the entry is not in the result.
  init(_ lines: Three<[Bytes]>, result pieces: [Bytes?]?) {
    let texts = lines.all.map { $0.map(Optional.init) } + (pieces.map { [$0] } ?? [])
    let shortest = texts.map(\.count).min() ?? 0
    func isShared(_ place: (Int) -> Int) -> Bool {
      guard let line = texts[0][place(texts[0].count)] else { return false }
      return texts.dropFirst().allSatisfy { text in
        text[place(text.count)].map { $0.span.isSame(as: line.span) } ?? false
      }
    }
    var head = 0
    while head < shortest, isShared({ _ in head }) { head += 1 }
    var tail = 0
    while tail < shortest - head, isShared({ $0 - 1 - tail }) { tail += 1 }
    let shared = (
      head: lines.base.prefix(head).map { MovableLine($0) }, tail: lines.base.suffix(tail).map { MovableLine($0) }
    )
    func read(_ lines: some Collection<Bytes?>) -> [MovableLine?] {
      shared.head + lines.dropFirst(head).dropLast(tail).map { $0.flatMap { MovableLine($0) } } + shared.tail
    }
    versions = lines.map { read($0.map(Optional.init)) }
    if let pieces { result = read(pieces) }
  }
}

/// The lines of an entry in all versions and in the result, for finding those that a side moved.
private struct MovableEntry {
  /// Adjacent lines of the result, or the entry itself, that a side lacks here.
  struct Suspect {
    let kind: MovableLine.Kind
    /// The pieces of the body; nil for the entry.
    var places: Range<Int>?
    let lackedBy: [Version]
  }

  let entity: Int
  private let bodies: Three<[MovableLine?]>
  /// The title in each version, if the entry has no text.
  var titles: Three<MovableLine?> = Three(base: nil, ours: nil, theirs: nil)
  /// The pieces of the body in the result; nil for conflicts and for what cannot be moved.
  var pieces: [MovableLine?] = []
  /// The title in the result, if the entry has no text.
  var title: MovableLine?

  init(entity: Int, versions: Three<[MovableLine?]>) {
    self.entity = entity
    bodies = versions
  }

  var versions: Three<[MovableLine?]> { bodies.zip(titles).map { [$1] + $0 } }

  var result: [MovableLine?] { [title] + pieces }

  /// Returns what is in the result too often and not here on a side; `left` are the numbers that are still to be found.
  func suspects(_ excess: [MovableLine: LineBalance.Excess], _ left: inout [MovableLine: Three<Int>]) -> [Suspect] {
    guard result.contains(where: { $0.map { excess[$0] != nil } ?? false }) else { return [] }
    let lacking = lacking()
    var suspects: [Suspect] = []
    for (place, line) in result.enumerated() {
      guard let line, let found = excess[line] else { continue }
      let sides = lacking[place].filter { found.deletedBy ?? $0 == $0 }
      guard !sides.isEmpty, sides.allSatisfy({ left[line]?[$0] ?? 0 > 0 }) else { continue }
      for side in sides { left[line]?.use(side) }
      let piece = place - 1
      if piece >= 0, let last = suspects.last, let places = last.places, places.upperBound == piece,
        last.lackedBy == sides, last.kind == line.kind
      {
        suspects[suspects.count - 1].places = places.lowerBound..<piece + 1
      } else {
        suspects.append(Suspect(kind: line.kind, places: piece < 0 ? nil : piece..<piece + 1, lackedBy: sides))
      }
    }
    return suspects
  }

  /// Returns for each line of the result the sides that do not have it at this place; both if it was merged from other lines.
  private func lacking() -> [[Version]] {
    let numbers = Numbered(versions, result)
    let (ours, theirs) = (numbers.partners(of: numbers.versions.ours), numbers.partners(of: numbers.versions.theirs))
    return zip(ours, theirs).map { isOurs, isTheirs in (isOurs ? [] : [.ours]) + (isTheirs ? [] : [.theirs]) }
  }

  /// The lines as small numbers.
  private struct Numbered {
    private(set) var versions: Three<[Int32]>
    private let result: [Int32]
    private let count: Int

    init(_ versions: Three<[MovableLine?]>, _ result: [MovableLine?]) {
      var numbers: [MovableLine?: Int32] = [:]
      func numbered(_ lines: [MovableLine?]) -> [Int32] {
        lines.map { line in
          let number = numbers[line] ?? Int32(numbers.count)
          numbers[line] = number
          return number
        }
      }
      self.versions = versions.map(numbered)
      self.result = numbered(result)
      count = numbers.count
    }

    /// Returns for each line of the result whether a version has it at this place.
    func partners(of version: [Int32]) -> [Bool] {
      Alignment(result, version, symbols: count).partners.map { $0 != nil }
    }
  }
}

extension Three<Int> {
  fileprivate mutating func use(_ side: Version) {
    if side == .ours { ours -= 1 } else { theirs -= 1 }
  }
}
