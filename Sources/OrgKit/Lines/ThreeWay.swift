/// The changes of two sides to a common base, as consecutive regions of all three (the *diff3* view).
struct ThreeWay {
  /// A region of all three versions; two unstable regions are separated by at least one element that neither side changed.
  struct Region: Equatable {
    var base: Range<Int>
    var ours: Range<Int>
    var theirs: Range<Int>
    /// True if the region is the same in all three versions.
    var isStable: Bool
  }

  /// The regions in order; together they cover all three versions.
  private(set) var regions: [Region] = []

  /// `ours` and `theirs` are alignments of the base with either side; the counts are the lengths of the sides.
  init(ours: Alignment, count oursCount: Int, theirs: Alignment, count theirsCount: Int) {
    let baseCount = ours.partners.count
    var (base, left, right) = (0, 0, 0)
    while base < baseCount || left < oursCount || right < theirsCount {
      let stable = (base..<baseCount).prefix {
        ours.partners[$0] == left + $0 - base && theirs.partners[$0] == right + $0 - base
      }.count
      if stable > 0 {
        append(base, left, right, stable, stable, stable, isStable: true)
        (base, left, right) = (base + stable, left + stable, right + stable)
      } else {
        let next = (base..<baseCount).first { ours.partners[$0] != nil && theirs.partners[$0] != nil }
        let (baseEnd, leftEnd, rightEnd) = (
          next ?? baseCount, next.flatMap { ours.partners[$0] } ?? oursCount,
          next.flatMap { theirs.partners[$0] } ?? theirsCount
        )
        append(base, left, right, baseEnd - base, leftEnd - left, rightEnd - right, isStable: false)
        (base, left, right) = (baseEnd, leftEnd, rightEnd)
      }
    }
  }

  private mutating func append(
    _ base: Int, _ left: Int, _ right: Int, _ baseLength: Int, _ leftLength: Int, _ rightLength: Int, isStable: Bool
  ) {
    regions.append(
      Region(
        base: base..<base + baseLength, ours: left..<left + leftLength, theirs: right..<right + rightLength,
        isStable: isStable))
  }
}
