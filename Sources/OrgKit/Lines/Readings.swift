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
    var others = [
      (Alignment(fromEnd: versions.base, versions.ours), Alignment(fromEnd: versions.base, versions.theirs))
    ]
    let theirs = direct.ours.followed(by: Alignment(versions.ours, versions.theirs))
    if !theirs.dropsElements(keptBy: direct.ours, direct.theirs) { others.append((direct.ours, theirs)) }
    let ours = direct.theirs.followed(by: Alignment(versions.theirs, versions.ours))
    if !ours.dropsElements(keptBy: direct.theirs, direct.ours) { others.append((ours, direct.theirs)) }
    return others.reduce(into: [direct]) { readings, other in
      let isKnown = readings.contains { $0.ours.partners == other.0.partners && $0.theirs.partners == other.1.partners }
      if !isKnown { readings.append(other) }
    }
  }

  /// Returns the alignments of the words of some lines that pair unchanged lines with themselves. Returns nil if both sides
  /// changed the same line or added the same line.
  static func all(ofLines versions: Three<[[Bytes]]>) -> [Reading]? {
    let keys = versions.map { lines in lines.map { Array($0.joined(separator: [.space]))[...] } }
    let (ours, theirs) = (Alignment(keys.base, keys.ours), Alignment(keys.base, keys.theirs))
    guard zip(ours.partners, theirs.partners).allSatisfy({ $0 != nil || $1 != nil }),
      Set(ours.additions(keys.ours)).isDisjoint(with: theirs.additions(keys.theirs))
    else { return nil }
    return [false, true].map { fromEnd in
      (
        Alignment(lines: versions.base, versions.ours, fromEnd: fromEnd),
        Alignment(lines: versions.base, versions.theirs, fromEnd: fromEnd)
      )
    }
  }
}

extension Alignment {
  /// Returns true if a side pairs fewer of the elements that the other side has, too, than if it is compared directly: it would
  /// have deleted more than it did.
  fileprivate func dropsElements(keptBy other: Alignment, _ direct: Alignment) -> Bool {
    let kept = zip(direct.partners, other.partners).count { $0 != nil && $1 != nil }
    return partners.count { $0 != nil } < kept
  }
}
