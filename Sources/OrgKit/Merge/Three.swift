/// One thing in three versions: what both sides last had in common, and what either made of it.
struct Three<Value> {
  var base: Value
  var ours: Value
  var theirs: Value

  func map<Other>(_ transform: (Value) -> Other) -> Three<Other> {
    Three<Other>(base: transform(base), ours: transform(ours), theirs: transform(theirs))
  }

  /// The three in order of age, then role.
  var all: [Value] { [base, ours, theirs] }

  /// The versions of the two sides.
  var sides: [Value] { [ours, theirs] }

  /// Joins the parts of two triples by role.
  func zip<Other>(_ other: Three<Other>) -> Three<(Value, Other)> {
    Three<(Value, Other)>(base: (base, other.base), ours: (ours, other.ours), theirs: (theirs, other.theirs))
  }
}

extension Three: Sendable where Value: Sendable {}
extension Three: Equatable where Value: Equatable {}

extension Three where Value: Equatable {
  /// The value that needs no decision: what both have, or what the only side that changed it has.
  var settled: Value? {
    if ours == theirs || theirs == base { return ours }
    return ours == base ? theirs : nil
  }
}

extension Three where Value == Bytes {
  /// How to write what all versions say: a side that changed the layout wins; if both did, the longer one, for white
  /// space never conflicts.
  var layout: Bytes { settled ?? longer(ours, theirs) }

  /// The version to write when `value` says what a version means; nil if both sides changed the meaning differently.
  func settled<Meaning: Equatable>(by value: (Bytes) -> Meaning) -> Bytes? {
    let meanings = map(value)
    guard let settled = meanings.settled else { return nil }
    return zip(meanings).map { $1 == settled ? $0 : nil }.layout
  }
}

extension Three where Value == Bytes? {
  /// How to write what those versions say that are there; nothing if neither side is.
  var layout: Bytes {
    guard let ours else { return theirs ?? base ?? [] }
    guard let theirs else { return ours }
    return settled.flatMap(\.self) ?? longer(ours, theirs)
  }
}

/// The longer of two ways to write the same; of equally long ones the greater.
func longer(_ one: Bytes, _ other: Bytes) -> Bytes {
  one.count == other.count ? (precedes(one, other) ? other : one) : one.count > other.count ? one : other
}

/// Byte order, which breaks every tie.
func precedes(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Bool {
  left.lexicographicallyPrecedes(right)
}

/// Byte order of lists of texts: the first text that differs decides.
func precedes(_ left: some Sequence<[UInt8]>, _ right: some Sequence<[UInt8]>) -> Bool {
  left.lexicographicallyPrecedes(right) { precedes($0, $1) }
}
