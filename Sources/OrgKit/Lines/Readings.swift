/// The possible alignments of two sides with a base.
///
/// Where elements repeat, the first or the last ones can be paired, and a side can be compared with the base directly or
/// through the other side.
enum Readings {
  typealias Reading = (ours: Alignment, theirs: Alignment)

  /// Returns all distinct readings, the direct one first.
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
