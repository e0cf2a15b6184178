extension OrgPart {
  /// The whole file after its part was edited.
  public enum Replacement: Sendable {
    /// The content of the whole file.
    case file([UInt8])
    /// Nothing is left of the file.
    case removed
    /// The edit cannot be applied safely, for this reason.
    case refused(String)
  }

  /// Returns the whole file in which an edited part replaces this one; nil for a part that was deleted.
  ///
  /// Entries that are not in the part keep their text and stay with their parents. If a parent was deleted, they take its place.
  /// A new entry follows the one that precedes it in the part; behind the last one, it goes to the end of the file. An edit that
  /// would bring a hidden entry into the part is refused.
  public func replaced(by edited: [UInt8]?) -> Replacement {
    guard let edited else { return replaced(by: Outline([]), isDeleted: true) }
    guard !OrgMerge.isBinary(edited), !edited.contains(0) else { return .refused("its new version is not text") }
    return replaced(by: Outline(edited), isDeleted: false)
  }

  private func replaced(by edited: Outline, isDeleted: Bool) -> Replacement {
    let tree = RecombinedTree(self, edited)
    guard tree.isComplete else { return .refused("the order of its entries does not fit the whole file") }
    guard tree.deepestLevel < Outline.inlineTaskLevel else { return .refused("an entry would be nested too deeply") }
    let preamble = RecombinedPreamble(self, edited, isDeleted: isDeleted)
    if tree.nodes.isEmpty, isDeleted, preamble.hasOnlySettings { return .removed }
    let file = tree.file(preamble: preamble.bytes)
    if let reason = objection(to: file, tree) { return .refused(reason) }
    return .file(file)
  }

  /// Returns the reason why a new content of the whole file must not be written; nil if there is none.
  private func objection(to file: [UInt8], _ tree: RecombinedTree) -> String? {
    let selected: OrgPart
    switch OrgPart.select(match, in: file) {
    case .uncertain(let reason): return "the whole file would become \(reason)"
    case .part(let part), .nothing(let part): selected = part
    }
    let outline = selected.whole.outline
    guard outline.nodes.count == tree.nodes.count + 1 else { return "its entries do not fit the whole file" }
    for (place, node) in tree.nodes.enumerated() {
      guard outline.entryWithoutStars(place + 1).withoutLineEnd == tree.text(of: node).withoutLineEnd,
        outline.nodes[place + 1].level == tree.levels[place]
      else { return "its entries do not fit the whole file" }
      if tree.isHidden(node), selected.isShown[place + 1] {
        return "it would bring entries to this remote that do not match now"
      }
    }
    return nil
  }
}

extension ArraySlice<UInt8> {
  /// The text without the line feed at its end, or the carriage return and line feed.
  var withoutLineEnd: Bytes {
    let text = last == .newline ? dropLast() : self
    return text.last == .carriageReturn ? text.dropLast() : text
  }
}

/// The text above the first headline of a file whose part was edited.
struct RecombinedPreamble {
  private(set) var bytes: [UInt8]
  /// True if it has nothing but lines that are in the part.
  private(set) var hasOnlySettings: Bool

  init(_ part: OrgPart, _ edited: Outline, isDeleted: Bool) {
    let outline = part.whole.outline
    let old = outline.section(0)
    let shown = part.settings
    hasOnlySettings = old.lines.allSatisfy { $0.isBlank || KeywordLine($0)?.isNeeded ?? false }
    bytes = Array(old)
    guard !isDeleted else { return }
    let new = edited.section(0).lines.filter { !$0.isBlank }
    let removed = Self.difference(shown, new)
    let added = Self.difference(Self.difference(Array(new), shown), removed.isEmpty ? Array(old.lines) : [])
    guard !removed.isEmpty || !added.isEmpty else { return }
    var rest = removed
    var lines = old.lines.filter { line in
      guard let index = rest.firstIndex(where: { $0 == line }) else { return true }
      rest.remove(at: index)
      return false
    }
    lines += added
    let lineEnd = part.whole.lineEnd
    bytes = lines.flatMap { Array($0.last == .carriageReturn ? $0.dropLast() : $0) + lineEnd }
  }

  /// Returns the lines that are not among `others`, each as often as it exceeds them.
  private static func difference(_ lines: [Bytes], _ others: [Bytes]) -> [Bytes] {
    var rest = others
    return lines.filter { line in
      guard let index = rest.firstIndex(where: { $0 == line }) else { return true }
      rest.remove(at: index)
      return false
    }
  }
}
