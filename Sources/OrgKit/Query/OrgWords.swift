/// The words of a text as searches compare them: in small letters, without the marks of Latin letters, every Chinese, Japanese or
/// Korean character a word of its own.
package enum OrgWords {
  /// Returns the words with a blank between them.
  package static func folded(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var writer = WordWriter(capacity: text.count)
    var place = text.startIndex
    while place < text.endIndex {
      if text[place] < 0x80 {
        writer.add(ascii: text[place])
        place += 1
      } else {
        let end = text[place...].firstIndex { $0 < 0x80 } ?? text.endIndex
        writer.add(other: text[place..<end])
        place = end
      }
    }
    return writer.text
  }

  private static func folded(_ text: String) -> [UInt8] { folded(Array(text.utf8)[...]) }

  /// Returns the words of a phrase to search.
  package static func words(_ phrase: String) -> [String] {
    folded(phrase).split(separator: .space).map { $0.string }
  }

  /// Returns true if a text has the words of a phrase in sequence; the last one may be the beginning of a word. A phrase without
  /// words is compared character by character.
  static func has(_ phrase: String, in text: String) -> Bool {
    let wanted = folded(phrase)
    guard !wanted.isEmpty else { return text.range(behind: phrase) != nil || phrase.isEmpty }
    let words = [.space] + folded(text)
    return words.firstRange(of: [.space] + wanted) != nil
  }
}

/// Collects words.
private struct WordWriter {
  var text: [UInt8] = []
  private var isInWord = false

  init(capacity: Int) { text.reserveCapacity(capacity) }

  mutating func add(ascii byte: UInt8) {
    guard byte.isLetter || byte.isDigit else {
      isInWord = false
      return
    }
    beginWord()
    text.append(byte.lowercased)
  }

  /// Adds bytes of which none is ASCII. Bytes that are not UTF-8 end a word.
  mutating func add(other bytes: ArraySlice<UInt8>) {
    var (decoder, rest) = (UTF8(), bytes.makeIterator())
    while true {
      switch decoder.decode(&rest) {
      case .scalarValue(let scalar): add(scalar)
      case .error: isInWord = false
      case .emptyInput: return
      }
    }
  }

  private mutating func add(_ scalar: Unicode.Scalar) {
    if let base = LatinLetters.base[scalar.value] {
      append(base)
    } else if scalar.properties.generalCategory == .nonspacingMark {
      return
    } else if scalar.properties.isIdeographic || scalar.isSyllable {
      isInWord = false
      append(scalar.utf8)
      isInWord = false
    } else if scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
      append(scalar.properties.lowercaseMapping.utf8)
    } else {
      isInWord = false
    }
  }

  private mutating func append(_ bytes: some Sequence<UInt8>) {
    beginWord()
    text.append(contentsOf: bytes)
  }

  private mutating func beginWord() {
    if !isInWord, !text.isEmpty { text.append(.space) }
    isInWord = true
  }
}

extension Unicode.Scalar {
  /// True for kana and Hangul.
  fileprivate var isSyllable: Bool { (0x3040...0x30FF).contains(value) || (0xAC00...0xD7A3).contains(value) }
}

/// The letters without marks of Latin letters with marks, such as `e` for `É`.
private enum LatinLetters {
  static let base: [UInt32: [UInt8]] = {
    var letters: [UInt32: [UInt8]] = [:]
    for value in Array(0xC0...0x24F) + Array(0x1E00...0x1EFF) {
      guard let name = Unicode.Scalar(UInt32(value))?.properties.name, name.hasPrefix("LATIN"),
        let start = name.range(behind: " LETTER ")
      else { continue }
      let words = name[start...].split(separator: " ")
      guard words.count > 1, words[0].count == 1, words[1] == "WITH" else { continue }
      letters[UInt32(value)] = Array(words[0].lowercased().utf8)
    }
    return letters
  }()
}
