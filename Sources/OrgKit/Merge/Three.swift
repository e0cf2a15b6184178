/// A value in three versions: the last common one, and those of both sides.
struct Three<Value> {
  var base: Value
  var ours: Value
  var theirs: Value

  func map<Other>(_ transform: (Value) -> Other) -> Three<Other> {
    Three<Other>(base: transform(base), ours: transform(ours), theirs: transform(theirs))
  }

  /// The three versions: base, ours, theirs.
  var all: [Value] { [base, ours, theirs] }

  /// The versions of the two sides.
  var sides: [Value] { [ours, theirs] }

  /// Combines two triples by role.
  func zip<Other>(_ other: Three<Other>) -> Three<(Value, Other)> {
    Three<(Value, Other)>(base: (base, other.base), ours: (ours, other.ours), theirs: (theirs, other.theirs))
  }
}

extension Three: Sendable where Value: Sendable {}
extension Three: Equatable where Value: Equatable {}

extension Three where Value: Equatable {
  /// The value without a conflict: the common one, or that of the only side that changed it.
  var settled: Value? {
    if ours == theirs || theirs == base { return ours }
    return ours == base ? theirs : nil
  }
}

extension Three where Value == Bytes {
  /// The layout for a common meaning: that of a side that changed it; if both did, the longer one, because white space never
  /// conflicts.
  var layout: Bytes { settled ?? longer(ours, theirs) }

  /// Returns the version to write, where `value` returns a version's meaning; nil if both sides changed the meaning
  /// differently.
  func settled<Meaning: Equatable>(by value: (Bytes) -> Meaning) -> Bytes? {
    let meanings = map(value)
    guard let settled = meanings.settled else { return nil }
    return zip(meanings).map { $1 == settled ? $0 : nil }.layout
  }
}

extension Three where Value == Bytes? {
  /// The layout of the existing versions; empty if neither side exists.
  var layout: Bytes {
    guard let ours else { return theirs ?? base ?? [] }
    guard let theirs else { return ours }
    return settled.flatMap(\.self) ?? longer(ours, theirs)
  }
}

/// Returns the longer of two layouts; of equally long ones the greater.
func longer(_ one: Bytes, _ other: Bytes) -> Bytes {
  one.count == other.count ? (precedes(one, other) ? other : one) : one.count > other.count ? one : other
}

/// Compares in byte order, which breaks every tie.
func precedes(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Bool {
  left.lexicographicallyPrecedes(right)
}

/// Compares lists of texts in byte order: the first different text decides.
func precedes(_ left: some Sequence<[UInt8]>, _ right: some Sequence<[UInt8]>) -> Bool {
  left.lexicographicallyPrecedes(right) { precedes($0, $1) }
}
