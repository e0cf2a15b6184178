typealias Bytes = [UInt8]

extension Collection<UInt8> {
  /// The lines without their ends, which are LF or CR LF.
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
  /// The text without white space at both ends.
  var trimmed: Bytes {
    guard let first = firstIndex(where: { !$0.isWhite }), let last = lastIndex(where: { !$0.isWhite }) else {
      return []
    }
    return Bytes(self[first...last])
  }

  /// The text without spaces and tabs at its end.
  var withoutTrailingBlanks: Bytes { Bytes(self[..<((lastIndex { $0 != 0x20 && $0 != 0x09 } ?? -1) + 1)]) }

  /// True for UTF-8 text without NUL, which an edit can contain.
  var isText: Bool { String(validating: self, as: UTF8.self) != nil && !contains(0) }

  /// True if the text is only white space.
  var isBlank: Bool { allSatisfy(\.isWhite) }

  /// The number of stars if this line is a heading: stars, then a space.
  var headingLevel: Int? {
    let stars = prefix { $0 == UInt8(ascii: "*") }.count
    return stars > 0 && stars < count && self[stars] == UInt8(ascii: " ") ? stars : nil
  }

  func starts(with text: String) -> Bool { starts(with: text.utf8) }

  /// Returns true if the texts are equal, ignoring the case of ASCII letters.
  func equals(ignoringCase other: some Collection<UInt8>) -> Bool {
    lowercased.elementsEqual(Bytes(other).lowercased)
  }

  /// The text with ASCII letters in lower case.
  var lowercased: Bytes { map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } }

  /// Returns the first occurrence of `part` at `start` or later.
  func firstRange(of part: Bytes, from start: Int = 0) -> Range<Int>? {
    guard !part.isEmpty, count >= part.count + start else { return nil }
    return (start...(count - part.count)).first { self[$0..<$0 + part.count].elementsEqual(part) }
      .map { $0..<$0 + part.count }
  }

  /// The text with LF line ends, including the last line.
  var withUnixLines: Bytes { textLines.flatMap { $0 + [UInt8(ascii: "\n")] } }
}

extension UInt8 {
  var isWhite: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}

extension [[UInt8]] {
  /// The lines joined to a text, each with a line feed.
  var text: Bytes { flatMap { $0 + [UInt8(ascii: "\n")] } }
}

extension String {
  /// The string without white space at both ends.
  var trimmingBlanks: String { Bytes(utf8).trimmed.string }
}
