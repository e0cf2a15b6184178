extension Three where Value: Collection, Value.Element: Equatable {
  /// The side that contains the other side's change and more: neither deleted anything and it has all additions, or neither
  /// added anything and it has all deletions. Nil if neither side does.
  var furtherSide: Version? {
    if isFurther(ours, than: theirs) { return .ours }
    return isFurther(theirs, than: ours) ? .theirs : nil
  }

  /// The value of the side that went further.
  var further: Value? { furtherSide.map { self[$0] } }

  private func isFurther(_ side: Value, than other: Value) -> Bool {
    isSubsequence(base, of: other) && isSubsequence(other, of: side)
      || isSubsequence(other, of: base) && isSubsequence(side, of: other)
  }
}
