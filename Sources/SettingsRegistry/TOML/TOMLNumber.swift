/// Parses TOML's numbers from a word of ASCII letters.
enum TOMLNumber {
  /// Returns the integer or float in `word`; nil if it is neither, or the integer does not fit 64 bits.
  static func value(of word: String) -> TOMLValue? {
    if let digits = integerDigits(word) { return Int(digits.text, radix: digits.radix).map(TOMLValue.integer) }
    return float(word).map(TOMLValue.float)
  }

  /// Returns the reason why `word` is invalid, if it looks like a number.
  static func whyNot(_ word: String) -> String? {
    if integerDigits(word) != nil { return "the integer does not fit 64 bits" }
    guard let first = word.unicodeScalars.first(where: { $0 != "+" && $0 != "-" }), first.isDigit else { return nil }
    return "this is neither a number nor a date or time; text needs quotes"
  }

  private static func integerDigits(_ word: String) -> (text: String, radix: Int)? {
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where word.hasPrefix(prefix) {
      return digits(word.dropFirst(2), radix: radix).map { ($0, radix) }
    }
    return decimal(word).map { ($0, 10) }
  }

  private static func float(_ word: String) -> Double? {
    switch word {
    case "inf", "+inf": return .infinity
    case "-inf": return -.infinity
    case "nan", "+nan", "-nan": return .nan
    default: break
    }
    let halves = word.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
    let mantissa = halves[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count + mantissa.count > 2, let whole = decimal(mantissa[0]) else { return nil }
    guard let fraction = mantissa.count == 2 ? digits(mantissa[1]) : "0" else { return nil }
    guard let exponent = halves.count == 2 ? signed(halves[1], { digits($0) }) : "0" else { return nil }
    return Double("\(whole).\(fraction)e\(exponent)")
  }

  /// A decimal integer with an optional sign and without leading zeros.
  private static func decimal(_ word: some StringProtocol) -> String? {
    signed(word) { unsigned in
      unsigned.hasPrefix("0") && unsigned != "0" ? nil : digits(unsigned)
    }
  }

  private static func signed(_ word: some StringProtocol, _ read: (Substring) -> String?) -> String? {
    guard let sign = word.first, sign == "+" || sign == "-" else { return read(Substring(word)) }
    return read(Substring(word.dropFirst())).map { "\(sign)\($0)" }
  }

  /// The digits of `word` without underscores, each of which must be between two digits.
  private static func digits(_ word: Substring, radix: Int = 10) -> String? {
    let groups = word.split(separator: "_", omittingEmptySubsequences: false)
    let areDigits = groups.allSatisfy { group in
      !group.isEmpty && group.allSatisfy { $0.hexDigitValue.map { $0 < radix } ?? false }
    }
    return areDigits ? groups.joined() : nil
  }
}
