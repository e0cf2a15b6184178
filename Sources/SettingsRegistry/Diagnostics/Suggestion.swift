extension Sequence<String> {
  /// Returns the element that `word` was probably meant to be; nil if none is near.
  ///
  /// Near is at most one edit per three characters. Capitals and underscores are compared in kebab case.
  package func nearest(to word: String) -> String? {
    let written = kebabCase(word)
    guard written.utf8.count <= 64 else { return nil }
    return map { (name: $0, distance: editDistance(written, $0)) }
      .filter { $0.distance <= Swift.max(1, Swift.max(written.count, $0.name.count) / 3) }
      .min { $0.distance < $1.distance }?.name
  }
}

/// Returns the number of characters to insert, remove, replace or swap with their neighbour to turn `first` into `second`.
func editDistance(_ first: String, _ second: String) -> Int {
  let (first, second) = (Array(first), Array(second))
  var beforeLast: [Int] = []
  var last = Array(0...second.count)
  for row in first.indices {
    var current = [row + 1]
    for column in second.indices {
      let replaced = last[column] + (first[row] == second[column] ? 0 : 1)
      var best = Swift.min(replaced, last[column + 1] + 1, current[column] + 1)
      if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
        best = Swift.min(best, beforeLast[column - 1] + 1)
      }
      current.append(best)
    }
    (beforeLast, last) = (last, current)
  }
  return last[second.count]
}
