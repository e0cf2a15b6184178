/// A span of time of whole milliseconds, as people write it: `"500ms"`, `"90s"`, `"1h30m"`, `"90d"`.
extension Duration: TextSettingValue {
  /// The units from the greatest to the least, in milliseconds.
  private static let units = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)]

  /// Numbers with units.
  public static var form: SettingForm {
    let pattern = "^(?=.)" + units.map { "([0-9]+\($0.0))?" }.joined() + "$"
    return SettingForm("a duration such as \"5m\"", schema: ["type": "string", "pattern": .string(pattern)])
  }

  /// The maximum: 100 years in milliseconds, which still fits into a number of nanoseconds.
  private static let longest = 36_500 * 86_400_000

  /// Parses numbers with units, from days to milliseconds, each unit at most once; at most 100 years.
  public init?(text: String) {
    var rest = text[...]
    var total = 0
    for (unit, milliseconds) in Self.units {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      guard rest.dropFirst(digits.count).prefix(while: \.isLetter) == unit else { continue }
      guard let number = Int(digits) else { return nil }
      let (product, isTooLong) = number.multipliedReportingOverflow(by: milliseconds)
      let (sum, isTooLongTogether) = total.addingReportingOverflow(product)
      guard !isTooLong, !isTooLongTogether else { return nil }
      total = sum
      rest = rest.dropFirst(digits.count + unit.count)
    }
    guard !text.isEmpty, rest.isEmpty else { return nil }
    self = .milliseconds(min(total, Self.longest))
  }

  /// The shortest text for this duration, without fractions of a millisecond.
  public var text: String {
    var rest = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    guard rest > 0 else { return "0s" }
    var text = ""
    for (unit, milliseconds) in Self.units {
      let (number, remainder) = rest.quotientAndRemainder(dividingBy: Int64(milliseconds))
      if number > 0 { text += "\(number)\(unit)" }
      rest = remainder
    }
    return text
  }
}
