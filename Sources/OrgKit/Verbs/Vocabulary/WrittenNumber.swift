extension Int {
  /// The greatest number in a text that is calculated with.
  static var greatestWritten: Int { 1_000_000_000 }

  /// Parses a number in a text of a person or of another program; nil beyond a thousand million.
  ///
  /// Swift ends the program if a calculation overflows. With this bound, a number of years may become days, minutes and seconds.
  init?(written text: some StringProtocol) {
    guard let number = Int(text), number.magnitude <= Self.greatestWritten else { return nil }
    self = number
  }

  /// The nearest number within the same bound.
  var boundedAsWritten: Int { Swift.max(-Self.greatestWritten, Swift.min(Self.greatestWritten, self)) }
}
