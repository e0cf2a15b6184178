typealias Bytes = [UInt8]

extension Collection<UInt8> {
  /// The lines without their ends; carriage returns before line feeds belong to the ends.
  var textLines: [Bytes] {
    var lines = split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      line.last == UInt8(ascii: "\r") && !line.isEmpty ? Bytes(line.dropLastByte) : Bytes(line)
    }
    if lines.last?.isEmpty ?? false { lines.removeLast() }
    return lines
  }

  private var dropLastByte: SubSequence { prefix(count - 1) }

  /// The bytes as a string for people; invalid UTF-8 is replaced.
  var string: String { String(decoding: self, as: UTF8.self) }
}

extension [UInt8] {
  /// Without blanks and line ends at both ends.
  var trimmed: Bytes {
    guard let first = firstIndex(where: { !$0.isWhite }), let last = lastIndex(where: { !$0.isWhite }) else {
      return []
    }
    return Bytes(self[first...last])
  }

  /// Without blanks and tabs at the end.
  var withoutTrailingBlanks: Bytes { Bytes(self[..<((lastIndex { $0 != 0x20 && $0 != 0x09 } ?? -1) + 1)]) }

  /// True if it is UTF-8 text, which edits can tell.
  var isText: Bool { String(validating: self, as: UTF8.self) != nil && !contains(0) }

  /// True if there is nothing to see.
  var isBlank: Bool { allSatisfy(\.isWhite) }

  /// The number of stars if this line begins a heading: stars, then a blank.
  var headingLevel: Int? {
    let stars = prefix { $0 == UInt8(ascii: "*") }.count
    return stars > 0 && stars < count && self[stars] == UInt8(ascii: " ") ? stars : nil
  }

  func starts(with text: String) -> Bool { starts(with: text.utf8) }

  /// Returns true if the texts are the same but for the case of ASCII letters.
  func equals(ignoringCase other: some Collection<UInt8>) -> Bool {
    lowercased.elementsEqual(Bytes(other).lowercased)
  }

  /// With small ASCII letters.
  var lowercased: Bytes { map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } }

  /// Where `part` begins, at `start` or later.
  func firstRange(of part: Bytes, from start: Int = 0) -> Range<Int>? {
    guard !part.isEmpty, count >= part.count + start else { return nil }
    return (start...(count - part.count)).first { self[$0..<$0 + part.count].elementsEqual(part) }
      .map { $0..<$0 + part.count }
  }

  /// The text with line feeds as line ends, and one at its end.
  var withUnixLines: Bytes { textLines.flatMap { $0 + [UInt8(ascii: "\n")] } }
}

extension UInt8 {
  var isWhite: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}

extension [[UInt8]] {
  /// The lines as a text, each with its end.
  var text: Bytes { flatMap { $0 + [UInt8(ascii: "\n")] } }
}

extension String {
  /// Without blanks at both ends.
  var trimmingBlanks: String { Bytes(utf8).trimmed.string }
}
