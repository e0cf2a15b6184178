/// A document, separate edits of it by several devices, and the right result of merging them.
struct KnownTriple {
  let root: Part
  let layout: Part.Layout
  /// The edits of each device.
  private(set) var edits: [[Edit]] = [[], [], []]
  /// All edits with their devices and the ranges of the base that they touch.
  private var placed: [PlacedEdit] = []

  private struct PlacedEdit {
    let edit: Edit
    let window: Window?
    let device: Int
  }

  let repeats: Bool

  /// A triple with an edit of a given kind on either side, and a few more; nil if the random document has no two separate
  /// places for them. `mayCopy` allows equal blocks in one entry.
  init?(seed: UInt64, mayCopy: Bool, _ first: String, _ second: String) {
    var grower = Grower(seed: seed, mayCopy: mayCopy)
    let kinds = [first, second].compactMap { label in Part.Kind.wanted(for: label) }
    root = grower.document(with: kinds)
    (layout, repeats) = (grower.layout, grower.repeats)
    guard root.allows(first), root.allows(second) else { return nil }
    let tokens = Tokens(of: root, layout)
    guard place([first], 0, &grower, tokens), place([second], 1, &grower, tokens) else { return nil }
    // A third device, and sometimes another edit of either side.
    for device in [2, 0, 1] where device == 2 || grower.happens(25) {
      if let label = grower.pick(Edit.labels) { _ = place([label], device, &grower, tokens) }
    }
  }

  /// Finds a place for an edit that does not touch the previous ones.
  private mutating func place(_ labels: [String], _ device: Int, _ grower: inout Grower, _ tokens: Tokens) -> Bool {
    for label in labels {
      for _ in 0..<12 {
        let others = placed
        let near = grower.happens(60) ? others.first.flatMap { holder(of: $0.edit) } : nil
        guard let edit = grower.edit(label, of: root, near: near) else { return false }
        guard others.allSatisfy({ mayMeet(edit, $0.edit) }) else { continue }
        edits[device].append(edit)
        // Edits of one text can be made together only if they are apart.
        if let new = place(of: edit, device, tokens), isWritable(device) {
          placed.append(new)
          return true
        }
        edits[device].removeLast()
      }
    }
    return false
  }

  /// True if all versions that include edits of a device can be written.
  private func isWritable(_ device: Int) -> Bool {
    version(device).isWritable && expected.isWritable && everything.isWritable
  }

  /// The last edit of a device with its place; nil if it changes nothing or touches another edit.
  private func place(of edit: Edit, _ device: Int, _ tokens: Tokens) -> PlacedEdit? {
    let window = tokens.window(to: edit.applied(to: root))
    if window == nil, !edit.isLayout { return nil }
    let new = PlacedEdit(edit: edit, window: window, device: device)
    guard placed.allSatisfy({ isApart(new, from: $0, tokens.all) }), !isSurrounded(placed + [new], tokens.all)
    else { return nil }
    // The first edit of a device changes its text if it changes a word.
    let changes = window != nil && edits[device].count == 1
    return changes || version(device).text(layout) != root.text(layout) ? new : nil
  }

  /// The entry or file in which an edit is made.
  private func holder(of edit: Edit) -> Part? {
    root.path(to: edit.part).compactMap(root.find).last { $0.kind == .entry || $0.kind == .file }
  }

  private func version(_ device: Int) -> Part { root.applying(edits[device]) }

  private var expected: Part { root.applying(edits[0] + edits[1]) }

  private var everything: Part { root.applying(edits.flatMap(\.self)) }

  var labels: [[String]] { edits.map { $0.map(\.label) } }

  var baseText: [UInt8] { joined(root.text(layout)) }

  func text(of device: Int) -> [UInt8] { joined(version(device).text(layout)) }

  /// The right result for the first two devices.
  var expectedText: [UInt8] { joined(expected.text(layout)) }

  /// The right result for all three.
  var expectedOfAll: [UInt8] { joined(everything.text(layout)) }
}

extension KnownTriple {
  /// The maximum number of documents that are tried for a pair of edits.
  private static let attempts: UInt64 = 300

  /// A number without a common factor with the number of pairs, so that a few triples already have pairs of all kinds.
  private static let stride: UInt64 = 7919

  /// The triple with a number: as many consecutive numbers as there are ordered pairs of kinds of edits take each pair once. A
  /// document without room for its pair is replaced by another; nil if none has room.
  static func numbered(_ number: UInt64) -> KnownTriple? {
    let pair = number &* stride
    return (0..<attempts).lazy.compactMap { KnownTriple(seed: number + $0 << 40, mayCopy: true, pair: pair) }.first
  }

  /// The triple of a seed without equal blocks, if the document has room for its pair.
  init?(seed: UInt64) {
    self.init(seed: seed, mayCopy: false, pair: seed)
  }

  private init?(seed: UInt64, mayCopy: Bool, pair: UInt64) {
    let count = UInt64(Edit.labels.count)
    self.init(
      seed: seed, mayCopy: mayCopy, Edit.labels[Int(pair % count)], Edit.labels[Int(pair / count % count)])
  }
}

// MARK: - Locks

extension KnownTriple {
  /// Returns true if two edits can both be made without a choice, judging by their parts.
  private func mayMeet(_ one: Edit, _ other: Edit) -> Bool {
    guard areOfDifferentParts(one, other), areOfDifferentParts(other, one) else { return false }
    guard leavesParagraphs(of: one, to: other), leavesParagraphs(of: other, to: one) else { return false }
    return !one.isMove && !other.isMove || mayMove(one, beside: other) && mayMove(other, beside: one)
  }

  /// Returns true if two edits can both be made without a choice, judging by their places in the text.
  private func isApart(_ placed: PlacedEdit, from another: PlacedEdit, _ tokens: [String]) -> Bool {
    let (one, other) = (placed.edit, another.edit)
    guard !one.isMove, !other.isMove, let window = placed.window, let otherWindow = another.window else { return true }
    if one.isRefill || other.isRefill, sharedText(one, other) != nil { return true }
    if window.overlaps(otherWindow) { return false }
    if one.becomes(other, in: root) || other.becomes(one, in: root) { return false }
    let between = tokens[window.gap(to: otherWindow)]
    // A reworded block of one or two words may look like another block beside a new one.
    if between.allSatisfy({ $0 == "\n" }), one.isInBriefBlock(of: root) || other.isInBriefBlock(of: root) {
      return false
    }
    guard let shared = sharedText(one, other) else { return true }
    // Code needs an unchanged line between two changes, prose a few unchanged words.
    return shared.isCode ? between.count { $0 == "\n" } >= 2 : between.count { $0 != "\n" } >= 3
  }

  /// Returns true if two edits of one device leave nothing of the base between them except a place where another device edits:
  /// it is ambiguous whether that edit belongs before or after both.
  private func isSurrounded(_ all: [PlacedEdit], _ tokens: [String]) -> Bool {
    all.enumerated().contains { place, one in
      all[..<place].contains { another in
        guard one.device == another.device, let window = one.window, let other = another.window,
          tokens[window.gap(to: other)].allSatisfy({ $0 == "\n" })
        else { return false }
        let both = window.joined(with: other)
        return all.contains { $0.device != one.device && $0.window.map(both.touches) ?? false }
      }
    }
  }

  /// Returns true if an edit of whole paragraphs leaves room for another edit.
  private func leavesParagraphs(of edit: Edit, to other: Edit) -> Bool {
    let path = root.path(to: other.part)
    switch edit.action {
    case .refill:
      guard path.contains(edit.part) || other.joins(edit.part) else { return true }
      if case .replaceWord = other.action { return true } else { return false }
    case .split: return other.part != edit.part && !other.joins(edit.part)
    case .join(let next):
      let ends = [edit.part, next]
      return !ends.contains(other.part) && !other.joins(edit.part) && !other.isBehind(edit.part)
        && !path.contains(next)
    default: return true
    }
  }

  /// Returns true if the first edit does not delete the other's part, and both do not change one part alike, except its words.
  private func areOfDifferentParts(_ one: Edit, _ other: Edit) -> Bool {
    if one.part == other.part, one.label == other.label, !one.isInsertion { return one.isOfWords && other.isOfWords }
    guard case .delete = one.action else { return true }
    return !root.path(to: other.part).contains(one.part)
  }

  /// Returns the run of prose or code that two edits both change.
  private func sharedText(_ one: Edit, _ other: Edit) -> Part? {
    let paths = [one, other].map { root.path(to: $0.part) }
    let common = Set(paths[0]).intersection(paths[1]).compactMap { root.find($0) }
    if let text = common.first(where: { $0.isText }) { return text }
    if let item = common.first(where: { item in paths.allSatisfy { item.isText(at: $0) } }) { return item }
    return one.part == other.part && one.isOfWords && other.isOfWords ? root.find(one.part) : nil
  }

  /// Returns true if a move is unambiguous: the part's text is unique, and nothing else happens at its old and new places.
  private func mayMove(_ edit: Edit, beside other: Edit) -> Bool {
    guard case .move(let parent, let sibling) = edit.action else { return true }
    guard let moved = root.find(edit.part), !repeats, moved.words.count >= 3 || moved.isBlock else { return false }
    let otherPath = root.path(to: other.part)
    if otherPath.contains(moved.id), !other.isInsertion { if case .delete = other.action { return false } }
    // The other children of both parents stay, and get no new siblings.
    let parents = [parent, root.parent(of: edit.part)?.id].compactMap(\.self)
    let places = parents + [sibling].compactMap(\.self)
    if case .move(let otherParent, _) = other.action {
      let others = [otherParent, root.parent(of: other.part)?.id].compactMap(\.self)
      return !parents.contains(where: others.contains) && !otherPath.contains(moved.id)
    }
    if case .delete = other.action, moved.kind == .entry, root.find(other.part)?.kind != .entry { return true }
    if case .delete = other.action {
      return !places.contains { otherPath.contains($0) || other.isBelow($0, root) || other.deletes($0, root) }
    }
    return !(other.isInsertion && places.contains(other.part)) && !places.contains { id in other.deletes(id, root) }
  }
}

extension Edit {
  var isMove: Bool { if case .move = action { true } else { false } }

  var isInsertion: Bool { if case .insert = action { true } else { false } }

  var isOfWords: Bool {
    switch action {
    case .replaceWord, .insertWords, .deleteWords: true
    default: false
    }
  }

  fileprivate var isRefill: Bool { if case .refill = action { true } else { false } }

  /// True if the edit changes only white space and bullets.
  fileprivate var isLayout: Bool {
    switch action {
    case .indent, .changeBullets, .move: true
    default: false
    }
  }

  /// Returns true if the edit changes a word of a very short block.
  fileprivate func isInBriefBlock(of root: Part) -> Bool {
    guard isOfWords, let block = root.path(to: part).compactMap(root.find).last(where: \.isBlock) else { return false }
    return block.all.reduce(0) { $0 + $1.words.count } <= 3
  }

  /// Returns true if the edit replaces the only word of a part by the text of the part that another edit inserts beside it: the
  /// old part looks deleted, and the new one added by both devices.
  fileprivate func becomes(_ other: Edit, in root: Part) -> Bool {
    guard case .replaceWord(_, let word) = action, case .insert(let new, _) = other.action else { return false }
    return new.words == [word] && root.find(part)?.words.count == 1 && root.parent(of: part)?.id == other.part
  }

  fileprivate func joins(_ id: Int) -> Bool { if case .join(id) = action { true } else { false } }

  fileprivate func isBehind(_ id: Int) -> Bool {
    switch action {
    case .insert(_, id), .move(_, id): true
    default: false
    }
  }

  fileprivate func isBelow(_ id: Int, _ root: Part) -> Bool { root.parent(of: part)?.id == id }

  fileprivate func deletes(_ id: Int, _ root: Part) -> Bool {
    if case .delete = action { root.path(to: id).contains(part) } else { false }
  }
}

extension Part {
  /// Returns true if the part is an item and the end of the path belongs to its text: the item itself or one of its lines.
  fileprivate func isText(at path: [Int]) -> Bool {
    kind == .item && (path.last == id || parts.contains { $0.kind == .line && $0.id == path.last })
  }

  /// True if the part is a single run of lines.
  fileprivate var isText: Bool { isCode || [.paragraph, .comment, .footnote].contains(kind) }

  /// True if an item of the entry itself has a box, which a count in its title would include.
  var hasBoxes: Bool {
    parts.contains { part in part.kind != .entry && part.all.contains { $0.isTicked != nil } }
  }

  /// True if the parts remain separate when they are written.
  var isWritable: Bool {
    let blocks = parts.filter { $0.isBlock && !$0.blockIsEmpty }
    let isBroken = zip(blocks, blocks.dropFirst()).contains { first, second in
      (first.isList && second.isList) || (first.kind == .footnote && second.kind != .footnote)
    }
    let isBare =
      (kind == .item && words.isEmpty) || (isText && kind != .footnote && parts.isEmpty)
      || ([.list, .numbered].contains(kind) && parts.isEmpty) || (kind == .table && !parts.contains { $0.kind == .row })
    let dates = kind == .planning ? Set(parts.compactMap(\.words.first)).count == parts.count : true
    let keys = kind == .properties ? parts.map { $0.words[0] }.filter { !$0.hasSuffix("+") } : []
    return !isBroken && !isBare && dates && Set(keys).count == keys.count && parts.allSatisfy(\.isWritable)
      && (kind != .line || !words.isEmpty) && !(hasCookie && hasBoxes)
  }

  private var blockIsEmpty: Bool { kind == .logbook && parts.isEmpty }
}

extension Part.Kind {
  /// The kind of part that a document needs for an edit with this label.
  static func wanted(for label: String) -> Part.Kind? {
    guard let name = label.split(separator: ":").last?.dropFirst().split(separator: " ").first else { return nil }
    switch Part.Kind(rawValue: String(name)) {
    case .item: return .list
    case .row, .formula: return .table
    case .note: return .logbook
    case let kind: return kind
    }
  }
}
