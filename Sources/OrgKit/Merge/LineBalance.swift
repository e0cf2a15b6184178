/// Finds lines that occur too often in a result: one side deleted a line and the other moved it, or both moved it to different
/// places.
///
/// A line of the base must occur as often as both sides' changes of its count add up to. More of it means that one deletion of
/// both sides was counted twice: one of them, or both, wrote the line elsewhere. If both sides deleted more than they added,
/// they deleted the same line, and nothing is back.
struct LineBalance {
  /// A line that occurs too often.
  struct Excess {
    /// The number of occurrences too many.
    let count: Int
    /// The side that deleted the line; nil if both moved it.
    let deletedBy: Version?
  }

  /// The number of occurrences in all versions and in the result.
  private struct Counts {
    var versions = Three(base: 0, ours: 0, theirs: 0)
    var result = 0

    var excess: Excess? {
      let due = versions.ours + versions.theirs - versions.base
      let count = result - max(0, due)
      let isDeleted = versions.map { $0 < versions.base }
      guard versions.base > 0, count > 0, !isDeleted.ours || !isDeleted.theirs else { return nil }
      return Excess(count: count, deletedBy: isDeleted.ours ? .ours : isDeleted.theirs ? .theirs : nil)
    }
  }

  private(set) var excess: [MovableLine: Excess] = [:]

  /// Compares the lines of some entries; nil stands for what cannot be moved. Lines that only look deleted, because their words
  /// are now on other lines, are left out.
  init(_ versions: Three<[[MovableLine?]]>, result: [[MovableLine?]]) {
    var counts: [MovableLine: Counts] = [:]
    for line in versions.base.joined() { if let line { counts[line, default: Counts()].versions.base += 1 } }
    if counts.isEmpty { return }
    for line in versions.ours.joined() { if let line { counts[line]?.versions.ours += 1 } }
    for line in versions.theirs.joined() { if let line { counts[line]?.versions.theirs += 1 } }
    for line in result.joined() { if let line { counts[line]?.result += 1 } }
    // Short lines that are repeated are equal by chance.
    excess = counts.filter { !$0.isShort || $1.versions.base == 1 }.compactMapValues(\.excess)
    if excess.isEmpty { return }
    let texts = versions.map(WordRuns.init)
    let written = WordRuns(result)
    excess = excess.filter { line, _ in
      let runs = Counts(versions: texts.map { $0.count(of: line.words) }, result: written.count(of: line.words))
      return line.kind == .entry || runs.excess != nil
    }
  }
}

/// The words of some texts, for counting how often some of them follow each other, on one line or on several.
private struct WordRuns {
  private var words: [UInt64] = []
  private var places: [UInt64: [Int]] = [:]
  /// The maximum number of places at which a run is looked for.
  private static let reach = 1000

  init(_ texts: [[MovableLine?]]) {
    for text in texts {
      for line in text { words += line?.words ?? [] }
      // A run does not continue in another text.
      words.append(0)
    }
    for (place, word) in words.enumerated() { places[word, default: []].append(place) }
  }

  func count(of run: [UInt64]) -> Int {
    guard let first = run.first else { return 0 }
    return (places[first] ?? []).prefix(Self.reach).count { place in words[place...].starts(with: run) }
  }
}
