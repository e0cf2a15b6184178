/// A part of a document, identified by a number that is not in its text: an entry, a block, an item, a row, a line.
///
/// Edits refer to parts by their numbers, so that the right result of two edits is the tree with both of them. This code
/// neither parses Org text nor calls OrgKit.
struct Part {
  /// The kind of a part, which determines how it is written.
  enum Kind: String, CaseIterable {
    case file, entry, planning, date, tags, tag, properties, property, logbook, note
    case paragraph, line, list, numbered, item, table, row, formula
    case source, example, verse, fixedWidth, comment, quote, drawer, special, footnote, keyword, inlineTask
  }

  let id: Int
  let kind: Kind
  /// The words of a line, the cells of a row, the key and the value of a property.
  var words: [String] = []
  /// The state of a task, `TODO` for instance.
  var state: String?
  var priority: String?
  /// True if the box of an item is ticked; nil for an item without a box.
  var isTicked: Bool?
  /// True if the title of an entry counts the tasks below it, as in `[1/2]`.
  var hasCookie = false
  /// The indentation of a list.
  var indentation = 0
  /// True for a list with `+` or `1)` instead of `-` or `1.`
  var hasOtherBullets = false
  var parts: [Part] = []

  /// True if the words are cells, keys or values that edits replace as a whole.
  var hasFields: Bool { [.row, .date, .tag, .property, .formula].contains(kind) }

  /// True if the lines of the part are code, which is merged only by whole lines.
  var isCode: Bool { [.source, .example, .verse, .fixedWidth].contains(kind) }

  /// True if the part is one of the blocks of a section.
  var isBlock: Bool {
    switch kind {
    case .file, .entry, .planning, .date, .tags, .tag, .properties, .property, .note, .line, .item, .row, .formula:
      false
    default: true
    }
  }

  var isList: Bool { kind == .list || kind == .numbered }

  /// True if an entry may have several equal parts of this kind.
  var mayHaveCopy: Bool { ![.logbook, .footnote, .keyword, .inlineTask].contains(kind) }

  /// True if the order of the children is derived from their text.
  var isSorted: Bool { kind == .planning || kind == .logbook }
}

extension Part {
  /// Returns the descendant with a number, at any depth.
  func find(_ id: Int) -> Part? {
    if self.id == id { return self }
    for part in parts {
      if let found = part.find(id) { return found }
    }
    return nil
  }

  /// Returns the numbers of the parts from this one to a descendant, both included; empty if it is not a descendant.
  func path(to id: Int) -> [Int] {
    if self.id == id { return [id] }
    for part in parts {
      let path = part.path(to: id)
      if !path.isEmpty { return [self.id] + path }
    }
    return []
  }

  /// This part and all its descendants, in the order of the text.
  var all: [Part] { [self] + parts.flatMap(\.all) }

  /// Changes the descendant with a number; returns false if there is none.
  @discardableResult
  mutating func change(_ id: Int, _ body: (inout Part) -> Void) -> Bool {
    if self.id == id {
      body(&self)
      return true
    }
    for index in parts.indices where parts[index].change(id, body) { return true }
    return false
  }

  /// Removes a part from the tree.
  mutating func remove(_ id: Int) -> Part? {
    if let index = parts.firstIndex(where: { $0.id == id }) { return parts.remove(at: index) }
    for index in parts.indices {
      if let removed = parts[index].remove(id) { return removed }
    }
    return nil
  }

  /// Inserts a part after one of the children of `parent`, or before all of them.
  mutating func insert(_ new: Part, below parent: Int, behind sibling: Int?) {
    change(parent) { part in
      let index = sibling.flatMap { id in part.parts.firstIndex { $0.id == id } }.map { $0 + 1 } ?? 0
      part.parts.insert(new, at: index)
    }
  }
}
