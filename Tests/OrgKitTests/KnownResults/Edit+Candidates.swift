// The edits that a part allows.

extension Grower {
  /// An edit of some kind of a random part, below the part `near` if possible; nil if the document has no such part.
  mutating func edit(_ label: String, of root: Part, near: Part?) -> Edit? {
    let close = near?.targets(of: label) ?? []
    guard let target = pick(close.isEmpty ? root.targets(of: label) : close),
      let action = action(label, of: target, in: root)
    else { return nil }
    let isInsertion = if case .insert = action { true } else { false }
    let part = isInsertion ? root.parent(of: target.id)?.id ?? root.id : target.id
    return Edit(part: part, action: action, label: label)
  }

  private mutating func action(_ label: String, of target: Part, in root: Part) -> Edit.Action? {
    switch String(label.prefix(while: { $0 != ":" })) {
    case "reword":
      let first = target.firstFreeWord
      guard first < target.words.count else { return nil }
      return .replaceWord(at: number(first..<target.words.count), with: value(of: target))
    case "add words":
      return .insertWords(at: number(max(1, target.firstFreeWord)..<target.words.count + 1), words(1..<4))
    case "cut words":
      guard target.words.count > target.firstFreeWord + 3 else { return nil }
      let start = number(max(1, target.firstFreeWord)..<target.words.count - 1)
      return .deleteWords(start..<min(target.words.count, start + number(1..<3)))
    case "state": return .setState(target.state == "TODO" ? "DONE" : "TODO")
    case "priority": return .setPriority(target.priority == "A" ? nil : "A")
    case "tick": return .tick
    case "delete": return .delete
    case "insert": return insertion(beside: target, in: root)
    case "move": return move(target, in: root)
    case "refill": return refill(target)
    case "split":
      return target.parts.dropLast().randomElementID(&self).map { .split(behind: $0, as: 1_000_000 + target.id) }
    case "join": return join(target, in: root)
    case "indent": return .indent(target.indentation == 0 ? 2 : 0)
    case "bullets": return .changeBullets
    case "cookie": return .toggleCookie
    default: return nil
    }
  }

  private mutating func refill(_ paragraph: Part) -> Edit.Action? {
    let old = paragraph.parts.map(\.words.count)
    var counts: [Int] = []
    var left = old.reduce(0, +)
    let width = number(3..<9)
    while left > 0 {
      counts.append(min(left, width))
      left -= width
    }
    return counts == old ? nil : .refill(counts)
  }

  /// Joins a paragraph with the one below it.
  private func join(_ paragraph: Part, in root: Part) -> Edit.Action? {
    let blocks = (root.parent(of: paragraph.id)?.parts ?? []).filter(\.isBlock)
    guard let index = blocks.firstIndex(where: { $0.id == paragraph.id }), index + 1 < blocks.count,
      blocks[index + 1].kind == .paragraph
    else { return nil }
    return .join(with: blocks[index + 1].id)
  }

  private mutating func value(of part: Part) -> String {
    switch part.kind {
    case .formula: "$\(number(1..<9))=vmean($2)"
    case .date: "<2025-01-\(number(10..<28)) Mon>"
    default: word()
    }
  }

  /// Inserts a part of the same kind before or after another.
  private mutating func insertion(beside target: Part, in root: Part) -> Edit.Action? {
    guard let parent = root.parent(of: target.id), let index = parent.parts.firstIndex(where: { $0.id == target.id })
    else { return nil }
    // Two adjacent lists would be one.
    let isList = target.kind == .list || target.kind == .numbered
    let place = isList ? pick(parent.parts.indices.filter { parent.parts[$0].isBlock && $0 != index }) ?? index : index
    let isBehind = happens(60)
    let sibling = isBehind ? parent.parts[place].id : place == 0 ? nil : parent.parts[place - 1].id
    let new = target.isBlock ? block(target.kind, depth: 1) : member(target.kind, of: parent, depth: 2)
    return .insert(new, behind: sibling)
  }

  /// A new place below the same parent, or for an entry below any other.
  private mutating func move(_ target: Part, in root: Part) -> Edit.Action? {
    let path = root.path(to: target.id)
    guard path.count > 1, let own = root.find(path[path.count - 2]) else { return nil }
    var parent = own
    if target.kind == .entry, happens(50), let other = pick(root.all.filter { $0.kind == .entry }) {
      if other.path(to: target.id).isEmpty, target.path(to: other.id).isEmpty { parent = other }
    }
    let siblings = parent.parts.filter { $0.id != target.id && $0.mayPrecede(target) }
    guard !siblings.isEmpty || target.kind == .entry, let sibling = pick(siblings) else {
      return target.kind == .entry && parent.id != own.id ? .move(below: parent.id, behind: parent.parts.last?.id) : nil
    }
    return .move(below: parent.id, behind: sibling.id)
  }
}

extension Part {
  func parent(of id: Int) -> Part? { path(to: id).dropLast().last.flatMap(find) }

  fileprivate func mayPrecede(_ other: Part) -> Bool {
    other.isBlock ? isBlock && kind != .logbook : kind == other.kind
  }

  /// The first word that an edit may change: keys, labels and the identifying words of a title are fixed.
  fileprivate var firstFreeWord: Int {
    switch kind {
    case .entry, .property, .date, .footnote, .keyword, .inlineTask: 1
    default: 0
    }
  }
}

extension Edit {
  /// All kinds of edits, such as `delete: item` or `reword: source line`.
  static let labels = Part.Kind.allCases.flatMap { kind in
    actions(on: kind).flatMap { action in places(of: kind).map { "\(action): \($0)" } }
  }

  private static let holders: [Part.Kind] = [
    .paragraph, .source, .example, .verse, .fixedWidth, .comment, .item, .footnote,
  ]

  /// The kinds of lines, named after the part that contains them.
  private static func places(of kind: Part.Kind) -> [String] {
    kind == .line ? holders.map { "\($0.rawValue) line" } : [kind.rawValue]
  }

  fileprivate static func actions(on kind: Part.Kind) -> [String] {
    switch kind {
    case .file, .planning, .tags, .properties, .logbook: []
    case .entry: ["reword", "add words", "cut words", "state", "priority", "cookie", "delete", "insert", "move"]
    case .paragraph: ["delete", "insert", "move", "refill", "split", "join"]
    case .list, .numbered: ["delete", "insert", "move", "indent", "bullets"]
    case .date, .property, .keyword, .footnote: ["reword", "delete", "insert"]
    case .tag, .note: ["delete", "insert"]
    case .line: ["reword", "add words", "cut words", "delete", "insert"]
    case .item: ["reword", "add words", "cut words", "tick", "delete", "insert", "move"]
    case .row, .inlineTask: ["reword", "delete", "insert", "move"]
    case .formula: ["reword", "delete"]
    default: ["delete", "insert", "move"]
    }
  }
}

extension Part {
  /// Returns true if a descendant may be changed by an edit of some kind.
  func allows(_ label: String) -> Bool {
    parts.contains { $0.allows(label, below: kind) || $0.allows(label) }
  }

  /// The parts that an edit of some kind may change.
  fileprivate func targets(of label: String) -> [Part] {
    parts.flatMap { part in (part.allows(label, below: kind) ? [part] : []) + part.targets(of: label) }
  }

  private func allows(_ label: String, below holder: Kind) -> Bool {
    let place = kind == .line ? "\(holder.rawValue) line" : kind.rawValue
    return label.hasSuffix(": \(place)")
      && Edit.actions(on: kind).contains { label == "\($0): \(place)" && ($0 != "tick" || mayBeTicked) }
  }

  /// True if the part has a box and none below it; a box above other boxes depends on them.
  private var mayBeTicked: Bool { isTicked != nil && !all.dropFirst().contains { $0.isTicked != nil } }
}

extension Collection<Part> {
  fileprivate func randomElementID(_ grower: inout Grower) -> Int? { grower.pick(self)?.id }
}
