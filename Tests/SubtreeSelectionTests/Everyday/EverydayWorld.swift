import SyncKit

/// Files that two people edit at once: one at home, where they are whole, and one on the remote, where the selected part of them
/// is. Both edit different things in a round, so the files of the next round are known exactly.
struct EverydayWorld {
  /// The files at home after the round.
  var truth = Outlines()
  /// The files that the person at home sees.
  var home = Outlines()
  /// The files that the person on the remote sees.
  var away = Outlines()
  var random: SplitMix64
  var tally = EditTally()
  /// The edits of the round, for messages.
  var story: [String] = []
  /// The files at home when the round began.
  private var asItWas = Outlines()
  /// What the remote had when the round began.
  var shown: Set<Int> = []

  /// Entries whose own text was edited in this round.
  private var edited: Set<Int> = []
  /// Entries that were added, moved or removed in this round, or that entered or left the selection, with the side of the edit.
  private var settled: [Int: Side] = [:]
  private var editor = Side.local
  /// Entries and files whose list of children was changed.
  private var lists: Set<Int> = []
  private var touchedFiles: Set<Int> = []
  private var closedFiles: Set<Int> = []
  private var lastMarker = 0
  private var lastNode = 0
  private(set) var lastFile = 0

  init(seed: UInt64) {
    random = SplitMix64(state: seed &* 7919 &+ 3)
    for _ in 0..<5 { addFile(newFile(), to: [\.truth]) }
    beginRound()
  }

  // MARK: Rounds

  mutating func beginRound() {
    settleEndings()
    home = truth
    asItWas = truth
    away = truth.selected()
    shown = Set(away.entries.keys)
    (edited, settled, lists, touchedFiles, closedFiles, story) = ([], [:], [], [], [], [])
  }

  /// Applies a random edit. Returns false if this round has nothing left to edit.
  mutating func edit(_ side: Side) -> Bool {
    // There is seldom a place for a new order.
    let kinds = side == .local ? EverydayEdit.home : EverydayEdit.away + [.reorder, .reorder, .reorder]
    editor = side
    for _ in 0..<200 {
      let before = self
      guard let kind = kinds.randomElement(using: &random), make(kind, side) else { continue }
      if !areApart(before) || side == .local && !closeFilesThatLeave(before) {
        let random = random
        self = before
        self.random = random
        continue
      }
      tally.add(kind, on: side)
      return true
    }
    return false
  }

  /// Returns false if one side changes the structure directly beside a change of the other side: where the blank lines between
  /// them belong is a matter of taste.
  private func areApart(_ before: Self) -> Bool {
    guard settled.count > before.settled.count, Set(settled.values).count == 2 else { return true }
    let inParts = shown.union(home.selected().entries.keys).union(away.entries.keys)
    return [asItWas, truth, home, away].allSatisfy { outlines in
      outlines.files.keys.allSatisfy { file in
        let entries = outlines.entries(in: file)
        return areApart(entries) && areApart(entries.filter(inParts.contains))
      }
    }
  }

  private func areApart(_ entries: [Int]) -> Bool {
    let sides = entries.map { settled[$0] }
    return zip(sides, sides.dropFirst()).allSatisfy { $0 == nil || $1 == nil || $0 == $1 }
  }

  /// Closes the files of which the remote will have nothing; returns false if one of them was edited before.
  private mutating func closeFilesThatLeave(_ before: Self) -> Bool {
    let left = home.selected().files
    for file in away.files.keys where left[file] == nil && !before.closedFiles.contains(file) {
      if before.touchedFiles.contains(file) { return false }
      close(file)
    }
    return true
  }

  /// A file without a line feed at its end gets one if its last entry is another one now, or was edited on the remote.
  mutating func settleEndings() {
    for (number, file) in truth.files {
      let isSame = truth.lastEntry(in: number) == home.lastEntry(in: number)
      if let known = home.files[number] { truth.files[number]?.ending = isSame ? known.ending : file.lineEnd }
    }
  }

  /// The files of the remote as the person there leaves them: the editor ends the last line of an entry that was changed.
  var awayTexts: [String: [UInt8]] {
    let before = asItWas.selected()
    var after = away
    for (number, file) in away.files where before.lastEntry(in: number) != away.lastEntry(in: number) {
      after.files[number]?.ending = file.lineEnd
    }
    return after.texts
  }

  // MARK: Names

  mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

  /// Returns a word that occurs nowhere else.
  mutating func marker() -> String {
    lastMarker += 1
    return Marker.text(lastMarker)
  }

  mutating func line() -> String { "\(words(2)) \(marker()) \(words(2))" }

  mutating func words(_ count: Int) -> String {
    let syllables = [
      "ba", "du", "fi", "go", "hem", "jor", "ki", "lu", "mo", "nar", "pel", "rü", "sa", "ti", "vo", "wen",
    ]
    let word = { (random: inout SplitMix64) in
      (0..<3).map { _ in syllables.randomElement(using: &random) ?? "" }.joined()
    }
    return (0..<count).map { _ in word(&random) }.joined(separator: " ")
  }

  mutating func fileName() -> String {
    (chance(4) ? "d/" : "") + "f-\(marker())" + (chance(6) ? ".ORG" : ".org")
  }

  mutating func newEntry(_ tags: [String], sameTitle: Bool = false) -> (Int, Outlines.Entry) {
    lastNode += 1
    var entry = Outlines.Entry(title: sameTitle ? "Notes" : "\(marker()) \(words(2))", tags: tags)
    entry.body = (0..<Int.random(in: sameTitle ? 2...3 : 0...3, using: &random)).map { _ in line() }
    if chance(3) { entry.state = "TODO" }
    if chance(5) { entry.properties = [":ID: \(marker())"] }
    entry.hasGap = chance(4)
    settled[lastNode] = editor
    return (lastNode, entry)
  }

  // MARK: Files

  mutating func newFile(lineEnd: String? = nil) -> Outlines.File {
    var file = Outlines.File(name: fileName())
    file.lineEnd = lineEnd ?? (chance(4) ? "\r\n" : "\n")
    file.ending = chance(4) ? "" : file.lineEnd
    if chance(2) { file.preamble.append("#+TITLE: \(marker())") }
    if chance(3) { file.preamble.append("#+TODO: TODO | DONE") }
    if chance(4) { file.preamble.append("#+TAGS: [ private : salary ]") }
    return file
  }

  /// Adds a file with some trees to these files.
  mutating func addFile(_ file: Outlines.File, to trees: [WritableKeyPath<EverydayWorld, Outlines>]) {
    let number = newFileNumber()
    for tree in trees { self[keyPath: tree].files[number] = file }
    var nodes = [number]
    for _ in 0..<Int.random(in: 6...14, using: &random) {
      let parent = nodes.randomElement(using: &random) ?? number
      guard truth.level(parent) < 6 else { continue }
      let tags = [[], [], ["mobile"], ["mobile"], ["private"], ["Private"], ["salary"], ["x"]]
      let (node, entry) = newEntry(tags.randomElement(using: &random) ?? [], sameTitle: chance(6))
      for tree in trees {
        self[keyPath: tree].entries[node] = entry
        self[keyPath: tree].insert(node, below: parent, at: self[keyPath: tree].children(of: parent).count)
      }
      nodes.append(node)
    }
  }

  mutating func newFileNumber() -> Int {
    lastFile -= 1
    touchedFiles.insert(lastFile)
    closedFiles.insert(lastFile)
    return lastFile
  }

  // MARK: What an edit may touch

  func tree(_ side: Side) -> WritableKeyPath<EverydayWorld, Outlines> { side == .local ? \.home : \.away }

  /// Makes the same change of the files that a person sees and of those that are expected.
  mutating func change(_ side: Side, _ edit: (inout Outlines) -> Void) {
    edit(&truth)
    edit(&self[keyPath: tree(side)])
  }

  /// Returns a random entry that a person sees, in a file that is not renamed or removed in this round.
  mutating func anEntry(_ side: Side, where fits: (Self, Int) -> Bool = { _, _ in true }) -> Int? {
    let tree = self[keyPath: tree(side)]
    let nodes = tree.entries.keys.sorted().filter {
      settled[$0] == nil && !closedFiles.contains(tree.file(of: $0)) && fits(self, $0)
    }
    return nodes.randomElement(using: &random)
  }

  /// Returns a random file without an edit in this round.
  mutating func anUntouchedFile(_ side: Side, where fits: (Self, Int) -> Bool = { _, _ in true }) -> Int? {
    let files = self[keyPath: tree(side)].files.keys.sorted()
    return files.filter { !touchedFiles.contains($0) && fits(self, $0) }.randomElement(using: &random)
  }

  func isUntouched(_ file: Int) -> Bool { !touchedFiles.contains(file) }

  func isOpen(_ file: Int) -> Bool { !closedFiles.contains(file) }

  mutating func close(_ file: Int) {
    touchedFiles.insert(file)
    closedFiles.insert(file)
  }

  /// Claims the text of an entry; returns false if it was edited in this round.
  mutating func claimText(of node: Int) -> Bool {
    guard edited.insert(node).inserted else { return false }
    touchedFiles.insert(truth.file(of: node))
    return true
  }

  /// Claims lists of children, and an entry with everything that is below it at home.
  mutating func claim(_ wanted: Set<Int>, moving node: Int? = nil) -> Bool {
    let moved = node.map(truth.subtree) ?? []
    guard lists.isDisjoint(with: wanted), lists.isDisjoint(with: moved), edited.isDisjoint(with: moved),
      moved.allSatisfy({ settled[$0] == nil }), wanted.isDisjoint(with: moved)
    else { return false }
    lists.formUnion(wanted)
    for other in moved { settled[other] = editor }
    for other in Array(wanted) + moved { touchedFiles.insert(truth.file(of: other)) }
    return true
  }

  /// Claims what is above the first headline.
  mutating func claimPreamble(of file: Int) -> Bool { claim(file - 1_000_000, in: file) }

  /// Claims the common title of a file's entries. If a new entry got the former title of
  /// another one, it would be uncertain which is which.
  mutating func claimTitles(in file: Int) -> Bool { claim(file - 2_000_000, in: file) }

  private mutating func claim(_ thing: Int, in file: Int) -> Bool {
    guard lists.insert(thing).inserted else { return false }
    touchedFiles.insert(file)
    return true
  }

  /// The list that a place below an entry or file belongs to. In the part, everything whose parent is not there is in one list.
  func list(below parent: Int) -> Int {
    let isApart = parent > 0 && (shown.contains(parent) || isPrivate(parent))
    return isApart ? parent : truth.file(of: parent)
  }

  func isPrivate(_ node: Int) -> Bool {
    let excluding = truth.files[truth.file(of: node)]?.excluding ?? []
    return !truth.tags(node).isDisjoint(with: excluding)
  }
}
