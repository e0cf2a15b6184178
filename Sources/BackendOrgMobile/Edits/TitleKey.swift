internal import OrgKit

/// A title as Emacs compares it when it resolves an outline path: case is ignored, and statistics cookies at the very start or
/// end may be missing (org-find-olp).
struct TitleKey: Hashable {
  private let text: Bytes

  init(_ title: Bytes) {
    var title = title.trimmed
    while let cookie = Self.cookie(atEndOf: title) { title = Bytes(title.dropLast(cookie)).trimmed }
    while let cookie = Self.cookie(atStartOf: title) { title = Bytes(title.dropFirst(cookie)).trimmed }
    text = Bytes(title.string.lowercased().utf8)
  }

  private static func cookie(atEndOf title: Bytes) -> Int? {
    guard title.last == UInt8(ascii: "]"), let start = title.lastIndex(of: UInt8(ascii: "[")), start > 0 else {
      return nil
    }
    return isCookie(title[start...]) ? title.count - start : nil
  }

  private static func cookie(atStartOf title: Bytes) -> Int? {
    guard title.first == UInt8(ascii: "["), let end = title.firstIndex(of: UInt8(ascii: "]")), end + 1 < title.count
    else { return nil }
    return isCookie(title[...end]) ? end + 1 : nil
  }

  /// Returns true for a cookie: `[1/2]`, `[/]`, `[50%]`, `[%]`.
  private static func isCookie(_ text: ArraySlice<UInt8>) -> Bool {
    let inner = text.dropFirst().dropLast()
    let signs = inner.filter { !(0x30...0x39).contains($0) }
    return signs.elementsEqual("/".utf8) || (signs.elementsEqual("%".utf8) && inner.last == UInt8(ascii: "%"))
  }
}

extension OrgEntry {
  /// The title as the protocol defines it: with `COMMENT`, without keyword, priority and tags.
  var heading: Bytes { Bytes(((isComment ? "COMMENT " : "") + title).utf8) }

  /// True if the title has a statistics cookie such as `[1/2]`, which Org updates when a child changes.
  var hasCookie: Bool {
    TitleKey(heading) != TitleKey(heading + [UInt8(ascii: "x")]) && heading.contains(UInt8(ascii: "["))
  }

  /// The entry's text for an edit: everything between the headline and the next one, without carriage returns.
  var text: Bytes { content.filter { $0 != 0x0D } }
}

/// A text as Emacs compares it to detect a change: outer white space is ignored, and spaces at the start and end of lines
/// (org-mobile-bodies-same-p).
struct BodyKey: Hashable {
  private let lines: [Bytes]

  init(_ text: Bytes) { lines = text.trimmed.textLines.map(\.trimmed) }
}
