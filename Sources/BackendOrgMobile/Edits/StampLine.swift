/// The line `#+LAST_MOBILE_CHANGE: …` that Emacs adds to a file before the first edit of a pull changes it. It belongs to the
/// desktop and is not a change of content; a new stamp proves that a pull preceded the push.
enum StampLine {
  private static let key = Bytes("#+last_mobile_change:".utf8)

  /// The stamp of a file; nil if it has none.
  static func stamp(of bytes: Bytes) -> Bytes? {
    bytes.textLines.first(where: isOne).map { Bytes($0.trimmed.dropFirst(key.count)).trimmed }
  }

  static func isOne(_ line: Bytes) -> Bool { Bytes(line.trimmed.prefix(key.count)).lowercased == key }

  /// Returns true if Emacs would put the stamp on the line with this number: after an existing stamp, otherwise on line 1, or
  /// on line 2 after a mode line.
  static func isInTheWay(of number: Int, in bytes: Bytes) -> Bool {
    let lines = bytes.textLines
    if let stamp = lines.firstIndex(where: isOne) { return number == stamp + 1 }
    let hasModeLine = lines.first.map(isModeLine) ?? false
    return number == (hasModeLine ? 1 : 0)
  }

  private static func isModeLine(_ line: Bytes) -> Bool {
    let sign = Bytes("-*-".utf8)
    return line.firstRange(of: sign).map { line.firstRange(of: sign, from: $0.upperBound) != nil } ?? false
  }

  /// Returns the file with a new stamp, where Emacs puts it.
  static func stamped(_ bytes: Bytes, _ time: String) -> Bytes {
    let line = Bytes("#+LAST_MOBILE_CHANGE: \(time)".utf8)
    var lines = bytes.textLines
    if let old = lines.firstIndex(where: isOne) {
      lines[old] = lines[old].prefix { $0.isWhite } + line
    } else {
      lines.insert(line, at: lines.first.map(isModeLine) ?? false ? 1 : 0)
    }
    return lines.text
  }
}
