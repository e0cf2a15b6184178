/// A line of bookkeeping that Org writes: a state change, a note, a clock line, with the lines that belong to it.
struct LogItem {
  let lines: ArraySlice<Bytes>

  /// When it happened: the start of a clock line, else the last inactive timestamp of the first line.
  var stamp: Bytes? {
    let stamps = (lines.first ?? []).inactiveTimestamps
    return isClock ? stamps.first : stamps.last
  }

  var isClock: Bool { Self.isClock((lines.first ?? []).trimmedLeft) }

  /// Whether a clock line has an end.
  var isClosed: Bool { (lines.first ?? []).inactiveTimestamps.count == 2 }

  /// The items of a log, without the lines of the drawer; lines before the first item are one item.
  static func items(of lines: ArraySlice<Bytes>) -> [LogItem] {
    let margin = lines.first { !$0.isBlank }?.indentationWidth ?? 0
    var items: [LogItem] = []
    var start = lines.startIndex
    for index in lines.indices.dropFirst() where begins(lines[index], margin: margin) {
      items.append(LogItem(lines: lines[start..<index]))
      start = index
    }
    return lines.isEmpty ? [] : items + [LogItem(lines: lines[start...])]
  }

  /// Whether all lines are log items and what belongs to them, and there is at least one.
  static func areAll(_ lines: ArraySlice<Bytes>) -> Bool {
    guard let first = lines.first, isEntry(first) else { return false }
    return items(of: lines).allSatisfy { item in item.lines.first.map(isEntry) ?? false }
  }

  private static func isEntry(_ line: Bytes) -> Bool { isItem(line) || isClock(line.trimmedLeft) }

  /// `CLOCK:` with one or two inactive stamps.
  static func isClock(_ content: Bytes) -> Bool {
    content.span.has("CLOCK:", at: 0)
      && content.dropFirst(6).trimmedLeft.first == UInt8(ascii: "[")
      && !content.inactiveTimestamps.isEmpty
  }

  /// A list item with one of the texts that Org writes.
  static func isItem(_ line: Bytes) -> Bool {
    guard let marker = ListMarker(line) else { return false }
    let (bytes, start) = (line.span, marker.contentStart - line.startIndex)
    // All of the texts begin with a capital, and few other items do.
    guard start < bytes.count, bytes[start].isLetter, bytes[start] & 0x20 == 0 else { return false }
    return texts.contains { bytes.has($0, at: start) }
  }

  private static func begins(_ line: Bytes, margin: Int) -> Bool {
    isClock(line.trimmedLeft) || line.indentationWidth <= margin && ListMarker(line) != nil
  }

  private static let texts: [StaticString] = [
    "State \"", "Note taken on", "Rescheduled from", "New deadline from", "Not scheduled", "Removed deadline",
    "Refiled on", "CLOSING NOTE",
  ]
}
