extension Sequence<String> {
  /// The element that `word` was probably meant to be, or nil if none is near.
  ///
  /// Near is at most one edit in three characters; capitals and underscores count as their kebab-case twins.
  func nearest(to word: String) -> String? {
    let written = kebabCase(word)
    guard written.utf8.count <= 64 else { return nil }
    return map { (name: $0, distance: editDistance(written, $0)) }
      .filter { $0.distance <= Swift.max(1, Swift.max(written.count, $0.name.count) / 3) }
      .min { $0.distance < $1.distance }?.name
  }
}
