/// One change of one part of a document.
struct Edit {
  enum Action {
    /// Replaces a word by another.
    case replaceWord(at: Int, with: String)
    /// Inserts words before the one at an index.
    case insertWords(at: Int, [String])
    case deleteWords(Range<Int>)
    case setState(String?)
    case setPriority(String?)
    case tick
    case delete
    /// Inserts a new part after a sibling, or before all of them.
    case insert(Part, behind: Int?)
    /// Moves the part below another one, after a sibling or before all of them.
    case move(below: Int, behind: Int?)
    /// Breaks the lines of a paragraph differently; the numbers of words in its new lines.
    case refill([Int])
    /// Moves the lines after one of them into a new paragraph.
    case split(behind: Int, as: Int)
    /// Appends the lines of the next paragraph to this one.
    case join(with: Int)
    case indent(Int)
    case changeBullets
    case toggleCookie

    var name: String {
      switch self {
      case .replaceWord: "reword"
      case .insertWords: "add words"
      case .deleteWords: "cut words"
      case .setState: "state"
      case .setPriority: "priority"
      case .tick: "tick"
      case .delete: "delete"
      case .insert: "insert"
      case .move: "move"
      case .refill: "refill"
      case .split: "split"
      case .join: "join"
      case .indent: "indent"
      case .changeBullets: "bullets"
      case .toggleCookie: "cookie"
      }
    }
  }

  /// The part that changes; for an insertion, the parent of the new part.
  let part: Int
  let action: Action
  /// The kind of edit, such as `delete item`.
  let label: String

  /// Returns the document with the edit.
  func applied(to root: Part) -> Part {
    var root = root
    switch action {
    case .replaceWord(let index, let word): root.change(part) { $0.words[index] = word }
    case .insertWords(let index, let words): root.change(part) { $0.words.insert(contentsOf: words, at: index) }
    case .deleteWords(let range): root.change(part) { $0.words.removeSubrange(range) }
    case .setState(let state): root.change(part) { $0.state = state }
    case .setPriority(let priority): root.change(part) { $0.priority = priority }
    case .tick: root.change(part) { $0.isTicked?.toggle() }
    case .delete: _ = root.remove(part)
    case .insert(let new, let sibling): root.insert(new, below: part, behind: sibling)
    case .move(let parent, let sibling):
      guard let moved = root.remove(part) else { break }
      root.insert(moved, below: parent, behind: sibling)
    case .refill(let counts): root.change(part) { $0.refill(counts) }
    case .split(let line, let new): root.split(part, behind: line, as: new)
    case .join(let other):
      guard let next = root.remove(other) else { break }
      root.change(part) { $0.parts += next.parts }
    case .indent(let columns): root.change(part) { $0.indentation = columns }
    case .changeBullets: root.change(part) { $0.hasOtherBullets.toggle() }
    case .toggleCookie: root.change(part) { $0.hasCookie.toggle() }
    }
    return root
  }
}

extension Part {
  fileprivate mutating func refill(_ counts: [Int]) {
    var words = parts.flatMap(\.words)[...]
    parts = counts.enumerated().map { index, count in
      defer { words = words.dropFirst(count) }
      return Part(id: index < parts.count ? parts[index].id : -index, kind: .line, words: Array(words.prefix(count)))
    }
  }

  fileprivate mutating func split(_ paragraph: Int, behind line: Int, as new: Int) {
    guard let whole = find(paragraph), let parent = parent(of: paragraph),
      let index = whole.parts.firstIndex(where: { $0.id == line })
    else { return }
    change(paragraph) { $0.parts = Array(whole.parts[...index]) }
    let second = Part(id: new, kind: .paragraph, parts: Array(whole.parts[(index + 1)...]))
    insert(second, below: parent.id, behind: paragraph)
  }
}

extension Part {
  /// Returns the document with all edits. Words change from last to first, and removals come last, so that every edit finds its
  /// place.
  func applying(_ edits: [Edit]) -> Part {
    edits.sorted { $0.rank > $1.rank }.reduce(self) { $1.applied(to: $0) }
  }
}

extension Edit {
  fileprivate var rank: Int {
    switch action {
    case .delete: -1
    case .refill: -2
    case .split, .join: -3
    case .replaceWord(let index, _), .insertWords(let index, _): 2 * index
    case .deleteWords(let range): 2 * range.lowerBound
    case .insert: 1_000_000
    default: 1
    }
  }
}
