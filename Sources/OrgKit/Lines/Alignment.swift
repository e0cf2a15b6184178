/// Pairs equal elements of two sequences; the pairs are in the same order in both.
///
/// Elements that occur once on both sides are anchors (the *patience* rule), because a moved brace or blank line means little
/// and a unique line much. Between anchors the shortest edit script decides, found by Myers' algorithm in linear space. Time is
/// bounded: past ``Alignment/costLimit`` the script is good instead of shortest.
struct Alignment {
  /// The partner in the second sequence of each element of the first.
  private(set) var partners: [Int?]

  /// The number of differences after which the search for the shortest edit script stops at the furthest point it reached.
  static let costLimit = 512
  /// The maximum recursion of anchoring before the edit script decides alone.
  private static let anchorRounds = 32

  /// Aligns two sequences of numbers from `0..<symbols`.
  init(_ first: [Int32], _ second: [Int32], symbols: Int) {
    partners = Array(repeating: nil, count: first.count)
    var counts = OccurrenceCounts(symbols: symbols)
    align(first, 0..<first.count, second, 0..<second.count, &counts, rounds: Self.anchorRounds)
  }

  /// Aligns two sequences of lines or words, which are compared by bytes.
  init(_ first: some Collection<Bytes>, _ second: some Collection<Bytes>) {
    var table = LineTable()
    let (left, right) = (table.numbers(of: first), table.numbers(of: second))
    self.init(left, right, symbols: table.count)
  }

  /// Aligns two sequences of lines or words, which are compared by bytes.
  init(_ first: [[UInt8]], _ second: [[UInt8]]) {
    self.init(first.map { $0[...] }, second.map { $0[...] })
  }

  /// Aligns two sequences from their ends, so that later ones of equal elements are paired.
  init(fromEnd first: [Bytes], _ second: [Bytes]) {
    self.init(first.reversed(), second.reversed())
    turn(count: second.count)
  }

  /// As above, for sequences of numbers from `0..<symbols`.
  init(fromEnd first: [Int32], _ second: [Int32], symbols: Int) {
    self.init(Array(first.reversed()), Array(second.reversed()), symbols: symbols)
    turn(count: second.count)
  }

  private mutating func turn(count: Int) {
    partners = partners.reversed().map { partner in partner.map { count - 1 - $0 } }
  }

  /// Aligns the words of some lines: equal lines are paired first, then the words between them.
  init(lines first: [[Bytes]], _ second: [[Bytes]], fromEnd: Bool) {
    func aligned(_ first: [Bytes], _ second: [Bytes]) -> Alignment {
      fromEnd ? Alignment(fromEnd: first, second) : Alignment(first, second)
    }
    let keys = [first, second].map { lines in lines.map { Array($0.joined(separator: [.space]))[...] } }
    partners = []
    var (line, other, start) = (0, 0, 0)
    func words(_ end: Int, _ otherEnd: Int) -> [Int?] {
      let (words, others) = (Array(first[line..<end].joined()), Array(second[other..<otherEnd].joined()))
      defer { (line, other, start) = (end, otherEnd, start + others.count) }
      if line + 1 == end, other + 1 == otherEnd, words == others { return words.indices.map { start + $0 } }
      return aligned(words, others).partners.map { partner in partner.map { start + $0 } }
    }
    for (index, partner) in aligned(keys[0], keys[1]).partners.enumerated() {
      guard let partner else { continue }
      partners += words(index, partner)
      partners += words(index + 1, partner + 1)
    }
    partners += words(first.count, second.count)
  }

  /// Composes this alignment with one from the second sequence to a third.
  func followed(by next: Alignment) -> Alignment {
    var joined = self
    joined.partners = partners.map { partner in partner.flatMap { next.partners[$0] } }
    return joined
  }

  /// Returns the alignment in which the first elements of a run of equal ones are paired, so that changes elsewhere do not
  /// decide which of them is new or deleted.
  func slidToStart<Element: Equatable>(_ first: [Element], _ second: [Element]) -> Alignment {
    var slid = self
    var (left, right) = (0, 0)
    for (index, partner) in partners.enumerated() {
      guard let partner else { continue }
      var (start, other) = (index, partner)
      while start > left, first[start - 1] == first[index] { start -= 1 }
      while other > right, second[other - 1] == second[partner] { other -= 1 }
      slid.partners[index] = nil
      slid.partners[start] = other
      (left, right) = (start + 1, other + 1)
    }
    return slid
  }

  /// Returns the alignment in which each run of added or removed elements is as early as equal elements allow, so that changes
  /// elsewhere do not decide which of several equal lines is the new one.
  func raised<Element: Equatable>(_ first: [Element], _ second: [Element]) -> Alignment {
    var raised = self
    var ofSecond: [Int?] = Array(repeating: nil, count: second.count)
    for case (let left, let right?) in partners.enumerated() { ofSecond[right] = left }
    Self.raiseAdditions(to: second, &ofSecond, &raised.partners)
    Self.raiseAdditions(to: first, &raised.partners, &ofSecond)
    return raised
  }

  /// Raises the runs of elements of a sequence that have no partner in `partners`; `others` are the partners in the opposite
  /// direction.
  ///
  /// If a run also replaces elements, as many of its last elements replace them, and only the others are raised.
  private static func raiseAdditions<Element: Equatable>(
    to elements: [Element], _ partners: inout [Int?], _ others: inout [Int?]
  ) {
    var start = 0
    while start < elements.count {
      guard partners[start] == nil else {
        start += 1
        continue
      }
      var (head, end) = (start, start + 1)
      while end < elements.count, partners[end] == nil { end += 1 }
      start = end
      guard head > 0, let last = partners[head - 1] else { continue }
      end -= others[(last + 1)...].prefix { $0 == nil }.count
      while end > head, head > 0, let before = partners[head - 1], elements[head - 1] == elements[end - 1],
        before == last || others[before + 1] != nil
      {
        (head, end) = (head - 1, end - 1)
        (partners[end], others[before]) = (before, end)
        partners[head] = nil
      }
    }
  }

  /// Returns the elements of the second sequence without a partner.
  func additions<Element>(_ second: [Element]) -> [Element] {
    let known = Set(partners.compactMap(\.self))
    return second.indices.filter { !known.contains($0) }.map { second[$0] }
  }

  private mutating func align(
    _ first: [Int32], _ left: Range<Int>, _ second: [Int32], _ right: Range<Int>,
    _ counts: inout OccurrenceCounts, rounds: Int
  ) {
    let (left, right) = pairEqualEnds(first, left, second, right)
    if left.isEmpty || right.isEmpty { return }
    let anchors = rounds > 0 ? counts.anchors(first, left, second, right) : []
    if anchors.isEmpty {
      alignByShortestScript(first, left, second, right, &counts)
      return
    }
    var (start, other) = (left.lowerBound, right.lowerBound)
    for anchor in anchors {
      partners[anchor.first] = anchor.second
      align(first, start..<anchor.first, second, other..<anchor.second, &counts, rounds: rounds - 1)
      (start, other) = (anchor.first + 1, anchor.second + 1)
    }
    align(first, start..<left.upperBound, second, other..<right.upperBound, &counts, rounds: rounds - 1)
  }

  private mutating func pairEqualEnds(
    _ first: [Int32], _ left: Range<Int>, _ second: [Int32], _ right: Range<Int>
  ) -> (Range<Int>, Range<Int>) {
    var (start, end) = (left.lowerBound, left.upperBound)
    var (otherStart, otherEnd) = (right.lowerBound, right.upperBound)
    while start < end, otherStart < otherEnd, first[start] == second[otherStart] {
      partners[start] = otherStart
      start += 1
      otherStart += 1
    }
    while start < end, otherStart < otherEnd, first[end - 1] == second[otherEnd - 1] {
      end -= 1
      otherEnd -= 1
      partners[end] = otherEnd
    }
    return (start..<end, otherStart..<otherEnd)
  }

  /// Elements that the other side lacks cannot match; without them the search is short.
  private mutating func alignByShortestScript(
    _ first: [Int32], _ left: Range<Int>, _ second: [Int32], _ right: Range<Int>, _ counts: inout OccurrenceCounts
  ) {
    let (leftKept, rightKept) = counts.shared(first, left, second, right)
    var script = EditScript(leftKept.map { first[$0] }, rightKept.map { second[$0] }, costLimit: Self.costLimit)
    script.forEachMatch { partners[leftKept[$0]] = rightKept[$1] }
  }
}
