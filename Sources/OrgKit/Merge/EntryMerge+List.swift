extension EntryMerge {
  /// Merges a list item by item; nil if the lines of a version cannot be divided into items.
  mutating func list(_ lines: Three<Lines>) -> [Piece]? {
    let affiliated = lines.map { $0.prefix { ListMarker($0) == nil } }
    guard let head = affiliated.map({ Array($0) }).settled else { return nil }
    let items = lines.zip(affiliated).map { ListItem.items(of: $0.dropFirst($1.count)) }
    return Piece.lines(head) + siblings(items)
  }

  /// Merges the items of one level; if one side changed the list's indentation, it applies to the other side's items too.
  private mutating func siblings(_ items: Three<[ListItem]>) -> [Piece] {
    let margins = items.map { $0.first?.indentation }
    let sides = margins.sides.compactMap(\.self)
    let margin = margins.settled.flatMap(\.self) ?? sides.max() ?? 0
    let aligned = items.zip(margins).map { items, own in items.map { $0.shifted(by: margin - (own ?? margin)) } }
    return alignedSiblings(Self.withOneSign(aligned))
  }

  /// Returns the items with the bullets of the result, if the bullets of each version are uniform: a side that changed the
  /// bullets applies them to the other side's items.
  private static func withOneSign(_ items: Three<[ListItem]>) -> Three<[ListItem]> {
    let signs = items.map { Set($0.map(\.sign)) }
    guard signs.all.allSatisfy({ $0.count <= 1 }), Set(items.all.joined().map { $0.marker.number == nil }).count == 1
    else {
      return items
    }
    let merged = signs.settled ?? signs.sides.filter { !$0.isEmpty }.max { $0.max() ?? 0 < $1.max() ?? 0 }
    guard let sign = merged?.first, sign != .star else { return items }
    return items.map { items in items.map { $0.with(sign: sign) } }
  }

  private mutating func alignedSiblings(_ items: Three<[ListItem]>) -> [Piece] {
    let meanings = items.map { $0.map(\.wholeMeaning) }
    var ours = Self.pairs(items.base, items.ours, (meanings.base, meanings.ours))
    var theirs = Self.pairs(items.base, items.theirs, (meanings.base, meanings.theirs))
    PartMatching.pairReplaced(
      &ours, &theirs, kinds: items.map { _ in { _ in 0 } },
      meanings: items.map { items in items.map { $0.wholeMeaning + $0.boxes } })
    let matched = MatchedParts(ours, theirs, meanings: meanings) {
      $1.pairEqual(&$0, { meanings.ours[$0] }, { meanings.theirs[$0] })
    }
    let merged = matched.parts.map { part in
      item(
        Three(
          base: part.base.map { items.base[$0] }, ours: part.ours.map { items.ours[$0] },
          theirs: part.theirs.map { items.theirs[$0] }))
    }
    let order = SequenceMerge.merge(
      matched.orders, survivors: Set(merged.indices.filter { !merged[$0].isEmpty }),
      text: { merged[$0].text })
    var pieces: [[Piece]] = []
    for (place, number) in order.enumerated() {
      let before = place == 0 ? nil : order[place - 1]
      let gap = gap(above: number, behind: before, matched, items)
      pieces.append(Piece.lines(gap.lines) + merged[number])
    }
    return start(of: items).map { renumbered(pieces, from: $0) } ?? pieces.flatMap(\.self)
  }

  /// Returns the item in the result; nothing if it was deleted.
  private mutating func item(_ item: Three<ListItem?>) -> [Piece] {
    let lines = item.map { $0.map(\.allLines) ?? [] }
    guard let ours = item.ours, let theirs = item.theirs else { return oneSided(item, lines) }
    if let settled = lines.settled { return Piece.lines(settled) }
    let parts = item.map { $0.map(\.parts) ?? (text: [], blocks: []) }
    let texts = parts.map { part in part.text.map { $0.blankingCookies[...] } }
    guard let text = TextMerge.prose(texts, byWords: options.mergesWords) else { return bothItems(ours, theirs, lines) }
    let blocks = body(parts.map(\.blocks))
    let children = siblings(item.map { $0?.children ?? [] })
    let subItems = ListItem.items(of: Lines(children.flatMap(\.shown)))
    let cookies = CookieMerge(
      texts: item.map { $0?.text.first }, progress: item.map { $0?.children.progress }, merged: subItems.progress)
    let first = marker(item, subItems) + cookies.set(in: text.first ?? [])
    let tail = body(item.map { $0?.tailBlocks ?? [] })
    return [.line(first)] + Piece.lines(text.dropFirst()) + blocks + children + tail
  }

  private mutating func oneSided(_ item: Three<ListItem?>, _ lines: Three<[Bytes]>) -> [Piece] {
    guard let side = item.ours ?? item.theirs else { return [] }
    guard let base = item.base else { return Piece.lines(side.allLines) }
    let marks = [base, side].map { WordlessMarks($0.allLines) }
    if base.wholeMeaning == side.wholeMeaning, marks[0] == marks[1] { return [] }
    record(FieldConflict(.body, "item".utf8, standing: side.meaning, other: nil))
    return [.disputed(shown: side.allLines, lines)]
  }

  /// Returns both variants of an item, one above the other.
  private mutating func bothItems(_ ours: ListItem, _ theirs: ListItem, _ lines: Three<[Bytes]>) -> [Piece] {
    record(FieldConflict(bothStand: ours.meaning, theirs.meaning, "item".utf8))
    let sides = precedes(theirs.meaning, ours.meaning) ? [theirs, ours] : [ours, theirs]
    return [.disputed(shown: sides.flatMap(\.allLines), lines)]
  }

  /// Matches items by their first lines; `meanings` are those of whole items.
  private static func pairs(
    _ base: [ListItem], _ side: [ListItem], _ meanings: (base: [[UInt8]], side: [[UInt8]])
  ) -> PartMatching {
    let keys = (base: base.map(\.meaning), side: side.map(\.meaning))
    var matching = PartMatching(keys: keys, meanings: meanings)
    matching.pairEqual({ meanings.base[$0] }, { meanings.side[$0] })
    matching.pairEqual({ keys.base[$0] }, { keys.side[$0] })
    matching.pairAlike(
      from: 0.4, { ItemWords(base[$0]) }, { ItemWords(side[$0]) }, likeness: { $0.likeness(to: $1) })
    matching.pairNeighbours(
      { _ in 0 }, { _ in 0 }, { ItemWords(base[$0]).likeness(to: ItemWords(side[$1])) >= 0.2 })
    return matching
  }

  private func gap(above number: Int, behind predecessor: Int?, _ matched: MatchedParts, _ items: Three<[ListItem]>)
    -> Bytes
  {
    func version(_ items: [ListItem], _ place: Int, _ order: [Int]) -> Gap.Version {
      let lines = Array(items[place].gap.map { $0 + [.newline] }.joined())
      return Gap.Version(lines: lines[...], predecessor: place == 0 ? nil : order[place - 1])
    }
    let places = matched.parts[number]
    return Gap(
      versions: Three(
        base: places.base.map { version(items.base, $0, matched.orders.base) },
        ours: places.ours.map { version(items.ours, $0, matched.orders.ours) },
        theirs: places.theirs.map { version(items.theirs, $0, matched.orders.theirs) })
    ).merged(behind: predecessor, gapsBehind: { [] })
  }
}

/// The words of an item, for measuring similarity.
private struct ItemWords {
  private let head: WordBag
  private let text: WordBag
  /// The words of the item with its sub-items; nil without sub-items.
  private let whole: WordBag?

  init(_ item: ListItem) {
    head = WordBag(sampling: item.head)
    text = item.lines.count == 1 ? head : WordBag(sampling: item.text)
    whole = item.children.isEmpty ? nil : WordBag(sampling: [item.wholeMeaning[...]])
  }

  /// Returns the similarity of the texts, or of the whole items: one with most of its sub-items is the same, however it was
  /// reworded.
  func likeness(to other: ItemWords) -> Double {
    let texts = max(head.likeness(to: other.head), text.likeness(to: other.text))
    guard let whole, let others = other.whole else { return texts }
    return max(texts, whole.likeness(to: others))
  }
}

// MARK: - Markers, boxes, numbers

extension EntryMerge {
  /// Merges indentation, bullet, counter and checkbox.
  private func marker(_ item: Three<ListItem?>, _ subItems: [ListItem]) -> Bytes {
    let markers = item.map { item in item.map { ($0.lines.first ?? [])[..<$0.marker.contentStart] } }
    let boxes = item.map { $0?.marker.box }
    var marker = Array(markers.layout)
    guard let box = Self.box(boxes, subItems) else { return marker[...] }
    let place = marker.lastIndex(of: UInt8(ascii: "]"))
    if let place, item.ours?.marker.box != nil, item.theirs?.marker.box != nil { marker[place - 1] = box }
    return marker[...]
  }

  /// Merges the tick: counted from ticked sub-items if a side changed it, otherwise the further one of two changes.
  private static func box(_ boxes: Three<UInt8?>, _ subItems: [ListItem]) -> UInt8? {
    let isChanged = boxes.ours != boxes.base || boxes.theirs != boxes.base
    let inner = subItems.compactMap(\.marker.box)
    if isChanged, let first = inner.first { return Set(inner).count == 1 ? first : UInt8(ascii: "-") }
    let order: [UInt8?] = [nil, .space, UInt8(ascii: "-"), UInt8(ascii: "X")]
    let rank = { (box: UInt8?) in order.firstIndex(of: box) ?? 0 }
    return boxes.settled ?? boxes.sides.max { rank($0) < rank($1) } ?? nil
  }

  /// Returns the first number, if every version with items counts without gaps, from one or from the number in `[@5]`.
  private func start(of items: Three<[ListItem]>) -> Int? {
    let starts = items.map { items -> Int? in
      guard let first = items.first?.marker, let start = first.number, start == 1 || first.hasCounter else {
        return nil
      }
      let isCounted = items.enumerated().allSatisfy {
        $1.marker.number == start + $0 && ($0 == 0 || !$1.marker.hasCounter)
      }
      return isCounted ? start : nil
    }
    guard items.zip(starts).all.allSatisfy({ $0.isEmpty || $1 != nil }) else { return nil }
    return starts.settled.flatMap(\.self) ?? starts.sides.compactMap(\.self).max()
  }

  /// Returns the items numbered from the first number.
  private func renumbered(_ items: [[Piece]], from start: Int) -> [Piece] {
    var number = start - 1
    return items.flatMap { pieces in
      var isNumbered = false
      return pieces.map { piece -> Piece in
        guard case .line(let line) = piece, !isNumbered, !line.isBlank, let marker = ListMarker(line) else {
          return piece
        }
        isNumbered = true
        number += 1
        let digits = Array("\(number)".utf8)
        return .line((Array(line[..<marker.bullet.lowerBound]) + digits + line[(marker.bullet.upperBound - 1)...])[...])
      }
    }
  }
}

extension [ListItem] {
  /// The progress of the checkboxes of these items; nil if none has a checkbox.
  var progress: Progress? {
    let boxes = compactMap(\.marker.box)
    return boxes.isEmpty ? nil : Progress(done: boxes.count { $0 == UInt8(ascii: "X") }, all: boxes.count)
  }
}
