/// A log entry of Org: a state change, a note, or a clock line, with its continuation lines.
struct LogItem {
  let lines: Lines

  /// The time of the entry: the start of a clock line, otherwise the last inactive timestamp of the first line.
  var stamp: Bytes? {
    let stamps = (lines.first ?? []).inactiveTimestamps
    return isClock ? stamps.first : stamps.last
  }

  var isClock: Bool { Self.isClock((lines.first ?? []).trimmedLeft) }

  /// True if a clock line has an end.
  var isClosed: Bool { (lines.first ?? []).inactiveTimestamps.count == 2 }

  /// Returns the items of a log, without the lines of the drawer; lines before the first item are one item.
  static func items(of lines: Lines) -> [LogItem] {
    let margin = lines.indices.first { !lines.isBlank($0) }.map(lines.indentation) ?? 0
    var items: [LogItem] = []
    var start = lines.startIndex
    for index in lines.indices.dropFirst() where begins(index, of: lines, margin: margin) {
      items.append(LogItem(lines: lines[start..<index]))
      start = index
    }
    return lines.isEmpty ? [] : items + [LogItem(lines: lines[start...])]
  }

  /// Returns true if all lines are log items with their continuation lines, and there is at least one.
  static func areAll(_ lines: Lines) -> Bool {
    guard let first = lines.first, isEntry(first) else { return false }
    return items(of: lines).allSatisfy { item in item.lines.first.map(isEntry) ?? false }
  }

  private static func isEntry(_ line: Bytes) -> Bool {
    ListMarker(line).map { isItem(line, behind: $0) } ?? isClock(line.trimmedLeft)
  }

  /// Returns true for `CLOCK:` with one or two inactive timestamps.
  static func isClock(_ content: Bytes) -> Bool {
    content.span.has("CLOCK:", at: 0)
      && content.dropFirst(6).trimmedLeft.first == UInt8(ascii: "[")
      && !content.inactiveTimestamps.isEmpty
  }

  /// Returns true for a list item with one of Org's log texts.
  static func isItem(_ line: Bytes, behind marker: ListMarker) -> Bool {
    let (bytes, start) = (line.span, marker.contentStart - line.startIndex)
    guard start < bytes.count else { return false }
    return texts.contains { $0.initial == bytes[start] && bytes.has($0.text, at: start) }
  }

  private static func begins(_ line: Int, of lines: Lines, margin: Int) -> Bool {
    lines.first(line) == UInt8(ascii: "C") && isClock(lines[line].trimmedLeft)
      || lines.indentation(line) <= margin && lines.marker(line) != nil
  }

  private static let texts: [(initial: UInt8, text: StaticString)] = [
    (UInt8(ascii: "S"), "State \""), (UInt8(ascii: "N"), "Note taken on"), (UInt8(ascii: "R"), "Rescheduled from"),
    (UInt8(ascii: "N"), "New deadline from"), (UInt8(ascii: "N"), "Not scheduled"),
    (UInt8(ascii: "R"), "Removed deadline"), (UInt8(ascii: "R"), "Refiled on"), (UInt8(ascii: "C"), "CLOSING NOTE"),
  ]
}
