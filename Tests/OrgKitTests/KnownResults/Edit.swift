/// One change of one part of a document.
struct Edit {
  enum Action {
    /// Puts another word in the place of one.
    case replaceWord(at: Int, with: String)
    /// Puts words before the one at a place.
    case insertWords(at: Int, [String])
    case deleteWords(Range<Int>)
    case setState(String?)
    case setPriority(String?)
    case tick
    case delete
    /// Puts a new part behind a sibling, or before all of them.
    case insert(Part, behind: Int?)
    /// Moves the part below another one, behind a sibling or before all of them.
    case move(below: Int, behind: Int?)

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
      }
    }
  }

  /// The part that changes; of an insertion, the part that gets the new one.
  let part: Int
  let action: Action
  /// What kind of edit it is, such as `delete item`.
  let label: String

  /// The document with the edit.
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
    }
    return root
  }
}

extension Part {
  /// The document with all of some edits. Words change from the last to the first, and what disappears does so last, so
  /// that every edit finds the place that it names.
  func applying(_ edits: [Edit]) -> Part {
    edits.sorted { $0.rank > $1.rank }.reduce(self) { $1.applied(to: $0) }
  }
}

extension Edit {
  fileprivate var rank: Int {
    switch action {
    case .delete: -1
    case .replaceWord(let index, _), .insertWords(let index, _): 2 * index
    case .deleteWords(let range): 2 * range.lowerBound
    case .insert: 1_000_000
    default: 1
    }
  }
}
