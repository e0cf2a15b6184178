/// A statistics cookie, `[2/5]` or `[40%]`: a derived value in titles and list items.
struct Cookie {
  /// Where it stands, brackets included.
  let bytes: Bytes
  let isPercent: Bool

  /// The first cookie in a text.
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

  /// The cookie for a number of things done of all.
  func counting(_ count: Progress) -> [UInt8] {
    isPercent
      ? Array("[\(count.all == 0 ? 0 : 100 * count.done / count.all)%]".utf8)
      : Array("[\(count.done)/\(count.all)]".utf8)
  }
}

/// How many things are done of how many.
struct Progress: Equatable {
  var done = 0
  var all = 0
}

/// The cookies of a text that was merged with its cookies blanked.
struct CookieMerge {
  /// The text in the three versions.
  let texts: Three<Bytes?>
  /// What each version would count.
  let progress: Three<Progress?>
  /// What the result counts.
  let merged: Progress?

  /// Sets the cookies: as they were if neither side changed them, as a side has them that counts the same, else
  /// counted again.
  func set(in text: Bytes) -> Bytes {
    guard Cookie(in: text) != nil else { return text }
    let cookies = texts.map { ($0 ?? []).cookies }
    if cookies.ours == cookies.theirs, cookies.ours == cookies.base { return fill(text, cookies.ours) }
    // Where the last thing that was counted is gone, nothing is done of nothing.
    let counted = progress.ours == nil && progress.theirs == nil ? merged : merged ?? Progress()
    guard let merged = counted else {
      // Nothing to count: what a side changed, of two changes the smaller one.
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

  /// The text without the cookies at its end, and those cookies, emptied.
  var splitAtLastCookies: (text: Bytes, cookies: [UInt8]) {
    var text = trimmedRight
    while let last = text.cookies.last, last.endIndex == text.endIndex {
      text = text[..<last.startIndex].trimmedRight
    }
    return (text, self[text.endIndex...].trimmed.blankingCookies)
  }

  /// The text with its cookies emptied, so that counts do not make two texts different.
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

  /// The text with other cookies.
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
