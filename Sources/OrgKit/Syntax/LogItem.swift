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
    var starts = lines.indices.filter { begins(lines[$0], in: lines) }
    if starts.first != lines.startIndex, !lines.isEmpty { starts.insert(lines.startIndex, at: 0) }
    return zip(starts, starts.dropFirst() + [lines.endIndex]).map { LogItem(lines: lines[$0..<$1]) }
  }

  /// Whether all lines are log items and what belongs to them, and there is at least one.
  static func areAll(_ lines: ArraySlice<Bytes>) -> Bool {
    let items = items(of: lines)
    return !items.isEmpty
      && items.allSatisfy { item in item.lines.first.map { isItem($0) || isClock($0.trimmedLeft) } ?? false }
  }

  /// `CLOCK:` with one or two inactive stamps.
  static func isClock(_ content: Bytes) -> Bool {
    content.starts(with: "CLOCK:".utf8)
      && content.dropFirst(6).trimmedLeft.first == UInt8(ascii: "[")
      && !content.inactiveTimestamps.isEmpty
  }

  /// A list item with one of the texts that Org writes.
  static func isItem(_ line: Bytes) -> Bool {
    guard let marker = ListMarker(line) else { return false }
    let text = line[marker.contentStart...]
    return texts.contains { text.starts(with: $0.utf8) }
  }

  private static func begins(_ line: Bytes, in lines: ArraySlice<Bytes>) -> Bool {
    if isClock(line.trimmedLeft) { return true }
    guard ListMarker(line) != nil else { return false }
    let margin = lines.first { !$0.isBlank }?.indentationWidth ?? 0
    return line.indentationWidth <= margin
  }

  private static let texts = [
    "State \"", "Note taken on", "Rescheduled from", "New deadline from", "Not scheduled", "Removed deadline",
    "Refiled on", "CLOSING NOTE",
  ]
}
