/// The blank lines above an entry or block in three versions, with its predecessor in each.
struct Gap {
  /// The blank lines in one version.
  struct Version {
    var lines: Bytes
    /// The predecessor; nil at the beginning of the section.
    var predecessor: Int?
  }

  let versions: Three<Version?>

  /// Returns the blank lines to write after `predecessor`; `gapsBehind` returns those after it in the sides that have it.
  func merged(behind predecessor: Int?, gapsBehind: () -> [Bytes]) -> Bytes {
    let lines = versions.map { $0?.lines }
    let agrees = versions.map { $0.map { $0.predecessor == predecessor } ?? false }
    let keptContext = versions.map { side in
      versions.base.map { base in side.map { $0.predecessor == base.predecessor } ?? true } ?? (side == nil)
    }
    switch (agrees.ours, agrees.theirs) {
    case (true, true): return lines.layout
    case (true, false): return keptContext.theirs ? lines.layout : lines.ours ?? []
    case (false, true): return keptContext.ours ? lines.layout : lines.theirs ?? []
    case (false, false): return ([lines.layout] + gapsBehind()).reduce([], longer)
    }
  }
}
