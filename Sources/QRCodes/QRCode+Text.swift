extension QRCode {
  /// The width of the margin in modules.
  private static let margin = 2

  /// The code as lines of text, two modules in each character.
  ///
  /// - Parameter isColored: true to set the colours; otherwise it is readable on a dark background.
  package func lines(isColored: Bool) -> [String] {
    let range = -Self.margin..<size + Self.margin
    return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { y in
      let line = range.map { x in Self.block(isDark(x, y) == isColored, isDark(x, y + 1) == isColored) }.joined()
      return isColored ? "\u{1B}[30;107m\(line)\u{1B}[0m" : line
    }
  }

  /// The rows of modules without a margin, from the top, with `1` for a dark and `0` for a light module.
  package var rows: [String] {
    (0..<size).map { y in String((0..<size).map { x in isDark(x, y) ? "1" : "0" }) }
  }

  private static func block(_ upper: Bool, _ lower: Bool) -> String {
    switch (upper, lower) {
    case (true, true): "\u{2588}"
    case (true, false): "\u{2580}"
    case (false, true): "\u{2584}"
    case (false, false): " "
    }
  }
}
