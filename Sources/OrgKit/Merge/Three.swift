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

extension Three {
  /// The version that needs no decision when `value` says what a version means; both meaning the same, `layout`
  /// decides how it is written.
  func settled<Meaning: Equatable>(by value: (Value) -> Meaning, layout: (Three) -> Value) -> Value? {
    let values = map(value)
    if values.ours == values.theirs {
      return values.ours == values.base ? layout(self) : layout(Three(base: ours, ours: ours, theirs: theirs))
    }
    if values.theirs == values.base { return ours }
    return values.ours == values.base ? theirs : nil
  }
}

extension Three where Value == Bytes {
  /// How to write what all versions say: white space never conflicts, so the longer, then the greater, stands.
  var layout: Bytes {
    settled ?? longer(ours, theirs)
  }

  /// The version to write when `value` says what a version means; nil if both sides changed the meaning differently.
  func settled<Meaning: Equatable>(by value: (Bytes) -> Meaning) -> Bytes? {
    settled(by: value, layout: \.layout)
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
