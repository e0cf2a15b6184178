/// The beginning of a list item: indentation, bullet, counter and box.
struct ListMarker {
  let indentation: Bytes
  /// `-`, `+`, `*` or a number with `.` or `)`.
  let bullet: Bytes
  /// `[@5]`, which sets the number.
  let counter: Bytes?
  /// The character in the box: blank, `-` or `X`.
  let box: UInt8?
  /// Where the text of the item begins.
  let contentStart: Int

  init?(_ line: Bytes) {
    indentation = line.indentation
    var rest = line[indentation.endIndex...]
    guard let length = Self.bulletLength(rest, isIndented: !indentation.isEmpty) else { return nil }
    bullet = rest.prefix(length)
    rest = rest.dropFirst(length)
    guard rest.first?.isBlank ?? true else { return nil }
    rest = rest.trimmedLeft
    counter = Self.counter(rest)
    if let counter { rest = rest[counter.endIndex...].trimmedLeft }
    box = Self.box(rest)
    contentStart = box == nil ? rest.startIndex : rest.dropFirst(3).trimmedLeft.startIndex
  }

  /// The number in the bullet; nil for bullets without one.
  var number: Int? { bullet.first?.isDigit ?? false ? Int(bullet.dropLast().string) : nil }

  private static func bulletLength(_ text: Bytes, isIndented: Bool) -> Int? {
    guard let first = text.first else { return nil }
    switch first {
    case UInt8(ascii: "-"), UInt8(ascii: "+"): return 1
    case .star: return isIndented ? 1 : nil
    default:
      let digits = text.prefix(while: \.isDigit)
      guard !digits.isEmpty, digits.endIndex < text.endIndex else { return nil }
      let close = text[digits.endIndex]
      return close == UInt8(ascii: ".") || close == UInt8(ascii: ")") ? digits.count + 1 : nil
    }
  }

  private static func counter(_ text: Bytes) -> Bytes? {
    guard text.starts(with: "[@".utf8), let close = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
    let value = text[(text.startIndex + 2)..<close]
    return !value.isEmpty && value.allSatisfy { $0.isDigit || $0.isLetter } ? text[...close] : nil
  }

  private static func box(_ text: Bytes) -> UInt8? {
    guard text.count >= 3, text.first == UInt8(ascii: "[") else { return nil }
    let (mark, close) = (text[text.startIndex + 1], text[text.startIndex + 2])
    guard close == UInt8(ascii: "]"), text.dropFirst(3).first?.isBlank ?? true else { return nil }
    return mark == .space || mark == UInt8(ascii: "-") || mark == UInt8(ascii: "X") ? mark : nil
  }
}

/// A footnote definition: `[fn:LABEL]` at the beginning of a line.
enum Footnote {
  static func label(_ line: Bytes) -> Bytes? {
    guard line.starts(with: "[fn:".utf8), let close = line.firstIndex(of: UInt8(ascii: "]")) else { return nil }
    let label = line[(line.startIndex + 4)..<close]
    let isLabel = label.allSatisfy { $0.isWordByte || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    return !label.isEmpty && isLabel ? label : nil
  }
}
