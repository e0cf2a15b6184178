/// Finds the side of a merge that already has all changes of the other side, because the two have met before.
enum Subsumption {
  /// The side that has all changes that the other made to the base; nil if neither has.
  static func whole<Elements: RandomAccessCollection<Bytes>>(_ versions: Three<Elements>) -> Version?
  where Elements.Index == Int {
    let counts = ElementCounts(versions)
    let met = (
      ours: counts.mayHaveMet(\.ours, \.theirs) && hasMet(versions.ours, versions.theirs, base: versions.base),
      theirs: counts.mayHaveMet(\.theirs, \.ours) && hasMet(versions.theirs, versions.ours, base: versions.base)
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
    _ whole: Elements, _ part: Elements, base: Elements
  ) -> Bool where Elements.Index == Int {
    let toPart = Alignment(base, part)
    let regions = ThreeWay(
      ours: toPart.followed(by: Alignment(part, whole)), count: whole.count, theirs: toPart, count: part.count
    ).regions
    return regions.allSatisfy { region in
      let (old, new, all) = (base[region.base], part[region.theirs], whole[region.ours])
      return new.elementsEqual(old) || new.elementsEqual(all)
        || isSubsequence(old, of: new) && isSubsequence(new, of: all)
    }
  }
}

/// How often every element occurs in three versions.
private struct ElementCounts {
  private let counts: Three<[Int]>

  init<Elements: RandomAccessCollection<Bytes>>(_ versions: Three<Elements>) {
    var table = LineTable()
    let numbers = versions.map { table.numbers(of: $0) }
    counts = numbers.map { numbers in
      numbers.reduce(into: Array(repeating: 0, count: table.count)) { $0[Int($1)] += 1 }
    }
  }

  /// Returns false if something that `part` deleted is still in `whole`, or something that it added is not.
  func mayHaveMet(_ whole: KeyPath<Three<[Int]>, [Int]>, _ part: KeyPath<Three<[Int]>, [Int]>) -> Bool {
    let (whole, part) = (counts[keyPath: whole], counts[keyPath: part])
    return part.indices.allSatisfy { element in
      part[element] == counts.base[element]
        || (part[element] < counts.base[element] ? whole[element] <= part[element] : whole[element] >= part[element])
    }
  }
}
