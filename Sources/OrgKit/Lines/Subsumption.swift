/// Finds out whether one side of a merge has met the other before, so that its version is the result.
enum Subsumption {
  /// The side that has all changes that the other made to the base; nil if neither has.
  static func whole<Elements: RandomAccessCollection<Bytes>>(_ versions: Three<Elements>) -> Version?
  where Elements.Index == Int {
    let met = (
      ours: hasMet(versions.ours, versions.theirs, base: versions.base),
      theirs: hasMet(versions.theirs, versions.ours, base: versions.base)
    )
    // Where both seem to have met, equal elements were read in two ways.
    if met.ours == met.theirs { return nil }
    return met.ours ? .ours : .theirs
  }

  /// Whether `whole` changed the base wherever `part` did, and alike or by more of the same.
  ///
  /// Of elements that occur twice, those are paired that `part` tells are the same: compared with the base directly, the
  /// two sides could be read differently.
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
