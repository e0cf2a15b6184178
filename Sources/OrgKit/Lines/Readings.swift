/// The ways to read what two sides made of a base: which element of the base is which element of either side.
///
/// Where elements repeat, the first or the last ones can be the same, and a side can be compared with the base directly or
/// by way of the other side.
enum Readings {
  typealias Reading = (ours: Alignment, theirs: Alignment)

  /// All readings that differ, the direct one first.
  static func all(of versions: Three<[Bytes]>) -> [Reading] {
    let direct = (ours: Alignment(versions.base, versions.ours), theirs: Alignment(versions.base, versions.theirs))
    if !versions.all.contains(where: { Set($0.map { LineKey($0) }).count < $0.count }) { return [direct] }
    let others = [
      (Alignment(fromEnd: versions.base, versions.ours), Alignment(fromEnd: versions.base, versions.theirs)),
      (direct.ours, direct.ours.followed(by: Alignment(versions.ours, versions.theirs))),
      (direct.theirs.followed(by: Alignment(versions.theirs, versions.ours)), direct.theirs),
    ]
    return others.reduce(into: [direct]) { readings, other in
      let isKnown = readings.contains { $0.ours.partners == other.0.partners && $0.theirs.partners == other.1.partners }
      if !isKnown { readings.append(other) }
    }
  }
}
