/// Inputs that no one writes, with a change on both sides.
enum HardCase: String, CaseIterable {
  case longLine = "a line of 100 MB"
  case longWord = "a word of 100 MB"
  case longTitle = "a title of 10 MB"
  case stars = "10,000 stars deep"
  case tags = "a million tags"
  case longEntry = "an entry of 10 MB"
  case longList = "a list of 10 MB"
  case longTable = "a table of 10 MB"
  case openBlocks = "10 MB of open blocks"
  case sameTitles = "10,000 equal titles"
  case allMoved = "10,000 entries, all moved"
  case allChanged = "10,000 entries, all changed"

  var input: (base: [UInt8], ours: [UInt8], theirs: [UInt8]) {
    switch self {
    case .longLine: edited(repeated("word ", bytes: 100_000_000))
    case .longWord: edited(repeated("w", bytes: 100_000_000))
    case .longTitle: edited("* " + repeated("word ", bytes: 10_000_000))
    case .stars: edited((1...10_000).map { String(repeating: "*", count: $0) + " x\n" }.joined())
    case .tags: edited("* x :" + repeated("t:", bytes: 2_000_000) + "\n")
    case .longEntry: edited("* x\n" + repeated("some words in a line of text\n", bytes: 10_000_000))
    case .longList: edited("* x\n" + repeated("- some words in a line of text\n", bytes: 10_000_000))
    case .longTable: edited("* x\n" + repeated("| some | words |\n", bytes: 10_000_000))
    case .openBlocks: edited("* x\n" + repeated("#+begin_a\n:D:\n#+begin_b\n", bytes: 10_000_000))
    case .sameTitles:
      texts(
        base: { _ in "* TODO same\n" }, ours: { $0 % 2 == 0 ? "* DONE same\n" : "* TODO same\n" },
        theirs: { $0 % 3 == 0 ? "* TODO same :tag:\n" : "* TODO same\n" })
    case .allMoved:
      moved((0..<10_000).map { "* Title \($0)\nText of entry \($0).\n" })
    case .allChanged:
      texts(
        base: { "* Title \($0)\nText of entry \($0).\n" }, ours: { "* Title \($0) ours\nText of entry \($0).\n" },
        theirs: { "* Title \($0)\nText of the entry \($0).\n" })
    }
  }

  private func repeated(_ text: String, bytes: Int) -> String {
    String(repeating: text, count: bytes / text.utf8.count)
  }

  /// A word put in at one third on one side and at two thirds on the other.
  private func edited(_ text: String) -> (base: [UInt8], ours: [UInt8], theirs: [UInt8]) {
    let base = Array(text.utf8)
    var (ours, theirs) = (base, base)
    ours.insert(contentsOf: "one".utf8, at: base.count / 3)
    theirs.insert(contentsOf: "two".utf8, at: base.count / 3 * 2)
    return (base, ours, theirs)
  }

  private func texts(base: (Int) -> String, ours: (Int) -> String, theirs: (Int) -> String)
    -> (base: [UInt8], ours: [UInt8], theirs: [UInt8])
  {
    (joined((0..<10_000).map(base)), joined((0..<10_000).map(ours)), joined((0..<10_000).map(theirs)))
  }

  /// Reversed on one side, and dealt into a hundred heaps on the other.
  private func moved(_ base: [String]) -> (base: [UInt8], ours: [UInt8], theirs: [UInt8]) {
    let heaps = (0..<100).flatMap { heap in base.indices.filter { $0 % 100 == heap }.map { base[$0] } }
    return (joined(base), joined(base.reversed()), joined(heaps))
  }

  private func joined(_ texts: [String]) -> [UInt8] { texts.flatMap { Array($0.utf8) } }
}
