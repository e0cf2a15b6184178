/// The words of a text as searches compare them: in small letters, without the marks of Latin letters, every Chinese, Japanese or
/// Korean character a word of its own.
package enum OrgWords {
  /// Returns the words with a blank between them.
  package static func folded(_ text: some Collection<UInt8>) -> [UInt8] {
    var writer = WordWriter()
    var decoder = UTF8()
    var rest = text.makeIterator()
    while true {
      switch decoder.decode(&rest) {
      case .scalarValue(let scalar): writer.add(scalar)
      case .error: writer.endWord()
      case .emptyInput: return writer.text
      }
    }
  }

  /// Returns the words of a phrase to search.
  package static func words(_ phrase: String) -> [String] {
    folded(phrase.utf8).split(separator: .space).map { $0.string }
  }

  /// Returns true if a text has the words of a phrase in sequence; the last one may be the beginning of a word. A phrase without
  /// words is compared character by character.
  static func has(_ phrase: String, in text: String) -> Bool {
    let wanted = folded(phrase.utf8)
    guard !wanted.isEmpty else { return text.range(behind: phrase) != nil || phrase.isEmpty }
    let words = [.space] + folded(text.utf8)
    return words.firstRange(of: [.space] + wanted) != nil
  }
}

/// Collects words.
private struct WordWriter {
  var text: [UInt8] = []
  private var isInWord = false

  mutating func endWord() { isInWord = false }

  mutating func add(_ scalar: Unicode.Scalar) {
    if scalar.isASCII {
      let byte = UInt8(ascii: scalar)
      if byte.isLetter || byte.isDigit { append([byte.lowercased]) } else { isInWord = false }
    } else if let base = LatinLetters.base[scalar.value] {
      append(base)
    } else if scalar.properties.generalCategory == .nonspacingMark {
      return
    } else if scalar.properties.isIdeographic || scalar.isSyllable {
      isInWord = false
      append(Array(String(scalar).utf8))
      isInWord = false
    } else if scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
      append(Array(scalar.properties.lowercaseMapping.utf8))
    } else {
      isInWord = false
    }
  }

  private mutating func append(_ bytes: [UInt8]) {
    if !isInWord, !text.isEmpty { text.append(.space) }
    text += bytes
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
