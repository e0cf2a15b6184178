/// A statistics cookie, `[2/5]` or `[40%]`: a derived value in titles and list items.
struct Cookie {
  /// The cookie with its brackets.
  let bytes: Bytes
  let isPercent: Bool

  /// Finds the first cookie in a text.
  init?(in text: Bytes) {
    var start = text.startIndex
    while let open = text.firstIndex(of: UInt8(ascii: "["), from: start) {
      if let cookie = Cookie(at: open, in: text) {
        self = cookie
        return
      }
      start = open + 1
    }
    return nil
  }

  private init?(at open: Int, in text: Bytes) {
    let digits = text[(open + 1)...].prefix(while: \.isDigit)
    guard digits.endIndex < text.endIndex else { return nil }
    switch text[digits.endIndex] {
    case UInt8(ascii: "%"):
      guard text[(digits.endIndex + 1)...].first == UInt8(ascii: "]") else { return nil }
      (bytes, isPercent) = (text[open...(digits.endIndex + 1)], true)
    case UInt8(ascii: "/"):
      let rest = text[(digits.endIndex + 1)...].drop(while: \.isDigit)
      guard rest.first == UInt8(ascii: "]") else { return nil }
      (bytes, isPercent) = (text[open...rest.startIndex], false)
    default: return nil
    }
  }

  /// Returns the cookie for a progress.
  func counting(_ count: Progress) -> [UInt8] {
    isPercent
      ? Array("[\(count.all == 0 ? 0 : 100 * count.done / count.all)%]".utf8)
      : Array("[\(count.done)/\(count.all)]".utf8)
  }
}

/// The number of completed items and of all items.
struct Progress: Equatable {
  var done = 0
  var all = 0
}

/// Merges the cookies of a text that was merged without their values.
struct CookieMerge {
  /// The text in the three versions.
  let texts: Three<Bytes?>
  /// The progress that each version counts.
  let progress: Three<Progress?>
  /// The progress that the result counts.
  let merged: Progress?

  /// Sets the cookies: unchanged if neither side changed them, as on a side with the same progress, otherwise counted again.
  func set(in text: Bytes) -> Bytes {
    guard Cookie(in: text) != nil else { return text }
    let cookies = texts.map { ($0 ?? []).cookies }
    if cookies.ours == cookies.theirs, cookies.ours == cookies.base { return fill(text, cookies.ours) }
    // If the last counted item is gone, the progress is zero of zero.
    let counted = progress.ours == nil && progress.theirs == nil ? merged : merged ?? Progress()
    guard let merged = counted else {
      // Nothing to count: take the side that changed it, or the smaller of two changes.
      let sides = cookies.sides.sorted { precedes($0.joined(separator: [.newline]), $1.joined(separator: [.newline])) }
      return fill(text, cookies.settled ?? sides[0])
    }
    let count = text.cookies.count
    let fitting = [(cookies.ours, progress.ours), (cookies.theirs, progress.theirs)]
      .filter { $0.1 == merged && $0.0.count == count }.map(\.0)
    if let first = fitting.first, fitting.allSatisfy({ $0 == first }) { return fill(text, first) }
    return text.settingCookies { $0.counting(merged) }[...]
  }

  private func fill(_ text: Bytes, _ cookies: [Bytes]) -> Bytes {
    var rest = cookies[...]
    return text.settingCookies { Array(rest.popFirst() ?? $0.bytes) }[...]
  }
}

extension ArraySlice<UInt8> {
  /// The cookies from left to right.
  var cookies: [Bytes] {
    var cookies: [Bytes] = []
    var rest = self
    while let cookie = Cookie(in: rest) {
      cookies.append(cookie.bytes)
      rest = rest[cookie.bytes.endIndex...]
    }
    return cookies
  }

  /// Splits off the cookies at the end of the text, without their values.
  var splitAtLastCookies: (text: Bytes, cookies: [UInt8]) {
    var text = trimmedRight
    while let last = text.cookies.last, last.endIndex == text.endIndex {
      text = text[..<last.startIndex].trimmedRight
    }
    return (text, self[text.endIndex...].trimmed.blankingCookies)
  }

  /// The text with its cookies' values removed, so that they do not make two texts different.
  var blankingCookies: [UInt8] {
    var blanked: [UInt8] = []
    var rest = self
    while let cookie = Cookie(in: rest) {
      blanked += rest[..<cookie.bytes.startIndex]
      blanked += cookie.isPercent ? "[%]".utf8 : "[/]".utf8
      rest = rest[cookie.bytes.endIndex...]
    }
    return blanked + rest
  }

  /// Returns the text with other cookies.
  func settingCookies(_ value: (Cookie) -> [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    var rest = self
    while let cookie = Cookie(in: rest) {
      text += rest[..<cookie.bytes.startIndex]
      text += value(cookie)
      rest = rest[cookie.bytes.endIndex...]
    }
    return text + rest
  }
}
