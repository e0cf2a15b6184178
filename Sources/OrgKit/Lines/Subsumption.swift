/// Finds the side of a merge that already has all changes of the other side, because the two have met before.
enum Subsumption {
  /// The side that has all changes that the other made to the base; nil if neither has.
  static func whole<Elements: RandomAccessCollection<Bytes>>(_ versions: Three<Elements>) -> Version?
  where Elements.Index == Int {
    let counts = ElementCounts(versions)
    let met = (
      ours: counts.mayHaveMet(\.ours, \.theirs)
        && hasMet(versions.ours, versions.theirs, base: versions.base, repeated: counts.repeatedChanges(\.theirs)),
      theirs: counts.mayHaveMet(\.theirs, \.ours)
        && hasMet(versions.theirs, versions.ours, base: versions.base, repeated: counts.repeatedChanges(\.ours))
    )
    // Where both seem to have met, equal elements were read in two ways.
    if met.ours == met.theirs { return nil }
    return met.ours ? .ours : .theirs
  }

  /// Returns true if `whole` changed the base wherever `part` did, and alike or by more of the same.
  ///
  /// Of elements that occur twice, those are paired that `part` shows to be the same: compared with the base directly,
  /// the two sides could be read differently. The pairs alone prove nothing: an element that `part` kept can pair with
  /// a copy that `part` deleted. ``ElementCounts`` closes that gap.
  private static func hasMet<Elements: RandomAccessCollection<Bytes>>(
    _ whole: Elements, _ part: Elements, base: Elements, repeated: Set<Bytes>
  ) -> Bool where Elements.Index == Int {
    let toPart = Alignment(base, part)
    let regions = ThreeWay(
      ours: toPart.followed(by: Alignment(part, whole)), count: whole.count, theirs: toPart, count: part.count
    ).regions
    return regions.allSatisfy { region in
      let (old, new, all) = (base[region.base], part[region.theirs], whole[region.ours])
      if new.elementsEqual(all) { return true }
      // Where `whole` alone has more or fewer of them, a copy may stand for another one.
      if !repeated.isEmpty, new.filter(repeated.contains).count != all.filter(repeated.contains).count { return false }
      return new.elementsEqual(old) || isSubsequence(old, of: new) && isSubsequence(new, of: all)
    }
  }
}

/// How often every element occurs in three versions.
private struct ElementCounts {
  private let counts: Three<[Int]>
  private var elements: [Int: Bytes] = [:]

  init<Elements: RandomAccessCollection<Bytes>>(_ versions: Three<Elements>) {
    var table = LineTable()
    let numbers = versions.map { table.numbers(of: $0) }
    for (version, numbers) in zip(versions.all, numbers.all) {
      for (element, number) in zip(version, numbers) { elements[Int(number)] = element }
    }
    counts = numbers.map { numbers in
      numbers.reduce(into: Array(repeating: 0, count: table.count)) { $0[Int($1)] += 1 }
    }
  }

  /// The elements of the base of which a side deleted some copies, or added some.
  func repeatedChanges(_ side: KeyPath<Three<[Int]>, [Int]>) -> Set<Bytes> {
    let (base, counts) = (counts.base, counts[keyPath: side])
    return Set(
      base.indices.filter { base[$0] > 0 && counts[$0] > 0 && base[$0] != counts[$0] }.compactMap { elements[$0] })
  }

  /// Returns false if something that `part` deleted is still in `whole`, or something that it added is not. Where other
  /// copies remain, the counts must be equal: a copy that `whole` deleted elsewhere is not the one that `part` deleted.
  func mayHaveMet(_ whole: KeyPath<Three<[Int]>, [Int]>, _ part: KeyPath<Three<[Int]>, [Int]>) -> Bool {
    let (whole, part) = (counts[keyPath: whole], counts[keyPath: part])
    return part.indices.allSatisfy { element in
      part[element] == counts.base[element]
        || (counts.base[element] == 0 ? whole[element] >= part[element] : whole[element] == part[element])
    }
  }
}
