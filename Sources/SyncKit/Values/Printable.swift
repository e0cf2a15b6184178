/// Returns a name for people: control characters, characters that change the direction of text, and bytes that are not UTF-8
/// become `\xNN`.
public func printable(_ bytes: some Sequence<UInt8>) -> String {
  var text = ""
  var decoder = UTF8()
  var rest = Array(bytes)[...]
  while let first = rest.first {
    var iterator = rest.makeIterator()
    if case .scalarValue(let scalar) = decoder.decode(&iterator), !scalar.isDeceptive {
      text.unicodeScalars.append(scalar)
      rest = rest.dropFirst(UTF8.width(scalar))
    } else {
      text += "\\x" + Hexadecimal.text(of: [first])
      rest = rest.dropFirst()
    }
    decoder = UTF8()
  }
  return text
}

extension String {
  /// The text for a terminal: everything that `printable` escapes is escaped, except line feeds and tabs.
  package var printable: String {
    guard unicodeScalars.contains(where: { $0.isDeceptive && !$0.isLayout }) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.isDeceptive, !scalar.isLayout {
        for byte in String(scalar).utf8 { text += "\\x" + Hexadecimal.text(of: [byte]) }
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The text for a terminal as one line: also without line feeds, with which a server could add its own lines to a log.
  ///
  /// `SyncError`, `Action`, `Hold`, `Finding` and the notices of a report apply it, so that no plugin has to.
  package var printableLine: String {
    guard unicodeScalars.contains(where: \.isDeceptive) else { return self }
    return split { $0.isNewline || $0 == "\t" }.joined(separator: " ").printable
  }
}

extension Unicode.Scalar {
  /// True for characters that control a terminal, or disguise a text: C0, DEL, C1, separators of lines and paragraphs, and
  /// those that change the direction of text (UAX #9).
  fileprivate var isDeceptive: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  fileprivate var isLayout: Bool { self == "\n" || self == "\t" }
}
