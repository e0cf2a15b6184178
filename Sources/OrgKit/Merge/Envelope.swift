/// The outer format of a file: byte order mark, line ends, final newline, trailing blank lines.
///
/// The text inside has only line feeds, including one at its end, so that one side's conversion of the whole file also applies
/// to the other side's lines.
struct Envelope: Equatable {
  var hasMark: Bool
  /// True if every line ends in CR LF; in a mixed file the carriage returns belong to their lines.
  var usesCarriageReturns: Bool
  /// Nil for an empty file, which has no last line.
  var endsInNewline: Bool?
  var endGap: [UInt8]

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Removes the envelope of a file.
  static func open(_ file: [UInt8]) -> (envelope: Envelope, text: [UInt8]) {
    let hasMark = file.starts(with: mark)
    var text = hasMark ? Array(file.dropFirst(mark.count)) : file
    let usesCarriageReturns = hasOnlyCarriageReturns(text)
    if usesCarriageReturns { text = withoutCarriageReturns(text) }
    let endsInNewline = text.last.map { $0 == .newline }
    if endsInNewline == false { text.append(.newline) }
    let end = text.lastIndex { !$0.isBlank && $0 != .newline }.map { text[$0...].firstIndex(of: .newline) ?? $0 }
    let endGap = text[(end.map { $0 + 1 } ?? 0)...]
    return (
      Envelope(
        hasMark: hasMark, usesCarriageReturns: usesCarriageReturns, endsInNewline: endsInNewline, endGap: Array(endGap)),
      text
    )
  }

  /// Merges the envelopes; if both sides changed it, the longer end and additional marks win.
  static func merged(base: Envelope?, ours: Envelope, theirs: Envelope) -> Envelope {
    func settled<Value: Equatable>(_ part: (Envelope) -> Value, _ both: (Value, Value) -> Value) -> Value {
      let values = Three<Value?>(
        base: base.map(part), ours: part(ours), theirs: part(theirs))
      return values.settled.flatMap(\.self) ?? both(part(ours), part(theirs))
    }
    return Envelope(
      hasMark: settled(\.hasMark) { $0 || $1 },
      usesCarriageReturns: settled(\.usesCarriageReturns) { $0 && $1 },
      endsInNewline: settled(\.endsInNewline) { $0 ?? false || $1 ?? false },
      endGap: settled(\.endGap) { Array(longer($0[...], $1[...])) })
  }

  /// Puts a text without trailing blank lines into the envelope.
  func wrap(_ text: [UInt8]) -> [UInt8] {
    var file = text + endGap
    if endsInNewline == false, file.last == .newline { file.removeLast() }
    if usesCarriageReturns { file = Self.withCarriageReturns(file) }
    return hasMark ? Self.mark + file : file
  }

  private static func hasOnlyCarriageReturns(_ text: [UInt8]) -> Bool {
    var previous: UInt8 = 0
    var found = false
    for byte in text {
      if byte == .newline {
        if previous != .carriageReturn { return false }
        found = true
      }
      previous = byte
    }
    return found
  }

  private static func withoutCarriageReturns(_ text: [UInt8]) -> [UInt8] {
    var lines: [UInt8] = []
    for byte in text {
      if byte == .newline, lines.last == .carriageReturn { lines.removeLast() }
      lines.append(byte)
    }
    return lines
  }

  private static func withCarriageReturns(_ text: [UInt8]) -> [UInt8] {
    var lines: [UInt8] = []
    for byte in text {
      if byte == .newline, lines.last != .carriageReturn { lines.append(.carriageReturn) }
      lines.append(byte)
    }
    return lines
  }
}
