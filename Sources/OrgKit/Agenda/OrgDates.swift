/// The dates of an entry for the agenda: its planning, and the active timestamps in title and text.
public struct OrgDates: Sendable {
  /// The deadline; nil if there is none, or if its timestamp is inactive.
  public let deadline: OrgTimestamp?
  /// The scheduled date; nil if there is none, or if its timestamp is inactive.
  public let scheduled: OrgTimestamp?
  /// The timestamps that are not part of a range.
  public private(set) var timestamps: [OrgTimestamp] = []
  /// The first and last day of ranges such as `<2026-03-02 Mon>--<2026-03-05 Thu>`.
  public private(set) var ranges: [(first: OrgTimestamp, last: OrgTimestamp)] = []
  /// True if the entry is a task that is done.
  public let isDone: Bool

  /// True if the entry is never on the agenda.
  public var isEmpty: Bool { deadline == nil && scheduled == nil && timestamps.isEmpty && ranges.isEmpty }

  /// The dates of an entry. Comments and source code in its text have none.
  public init(_ entry: OrgEntry) {
    deadline = entry.deadline.flatMap { $0.isActive ? $0 : nil }
    scheduled = entry.scheduled.flatMap { $0.isActive ? $0 : nil }
    isDone = entry.isDone
    read(entry.headline.line)
    let section = entry.document.outline.section(entry.index.node)
    guard section.contains(UInt8(ascii: "<")) else { return }
    var isCode = false
    for line in (entry.planningLine == nil ? section : section.withoutFirstLine).lines {
      let text = line.trimmedLeft
      if text.first == UInt8(ascii: "#") {
        if text.hasPrefix(ignoringCase: "#+begin_src") { isCode = true }
        if text.hasPrefix(ignoringCase: "#+end_src") { isCode = false }
        guard text.count > 1, !text[text.startIndex + 1].isBlank else { continue }
      }
      if !isCode { read(line) }
    }
  }

  private mutating func read(_ line: Bytes) {
    var rest = line
    while let stamp = rest.firstTimestamp(isActive: true), let first = OrgTimestamp(stamp) {
      rest = rest[stamp.endIndex...]
      let dashes = rest.prefix { $0 == UInt8(ascii: "-") }
      let behind = rest[dashes.endIndex...]
      if (1...3).contains(dashes.count), let other = behind.firstTimestamp(isActive: true),
        other.startIndex == behind.startIndex, let last = OrgTimestamp(other)
      {
        ranges.append((first, last))
        rest = rest[other.endIndex...]
      } else {
        timestamps.append(first)
      }
    }
  }
}
