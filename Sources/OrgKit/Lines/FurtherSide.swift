extension Three where Value: Collection, Value.Element: Equatable {
  /// The side that made the change of the other side and more of it: neither deleted anything and it has all additions, or
  /// neither added anything and it lacks all that was deleted. Nil if neither side is that.
  var furtherSide: Version? {
    if isFurther(ours, than: theirs) { return .ours }
    return isFurther(theirs, than: ours) ? .theirs : nil
  }

  /// What the side has that went further.
  var further: Value? { furtherSide.map { self[$0] } }

  private func isFurther(_ side: Value, than other: Value) -> Bool {
    isSubsequence(base, of: other) && isSubsequence(other, of: side)
      || isSubsequence(other, of: base) && isSubsequence(side, of: other)
  }
}
