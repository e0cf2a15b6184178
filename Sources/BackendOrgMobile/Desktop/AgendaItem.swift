internal import OrgKit
internal import SyncKit

/// An entry in an agenda view, with its sort keys.
struct AgendaItem: Hashable, Sendable {
  /// The time of day in minutes; entries without a time come last.
  var minutes = Int.max
  /// The priority; higher ones come first.
  var priority: Int
  /// The rank among equals in Org's order: deadlines, then tasks, date ranges, timestamps.
  var rank = 0
  /// The heading without stars, and the lines below it.
  var heading: String
  var lines: [String]

  /// Returns true if the item comes before another one that is from the same file and below it, or from a later file.
  func isAbove(_ other: AgendaItem) -> Bool {
    (minutes, -priority) < (other.minutes, -other.priority)
  }
}

/// An entry as shown in an agenda.
struct AgendaEntry {
  private let entry: OrgEntry
  private let category: String
  private let lines: [String]

  /// - Parameters:
  ///   - file: the file's name, which replaces a missing category.
  ///   - link: the link with which a phone refers to the entry; nil if no edit could find it.
  init(_ entry: OrgEntry, file: SyncPath, link: Bytes?) {
    self.entry = entry
    let name = file.name.string
    category = entry.category ?? (OrgMerge.Path.name(name.utf8, endsWith: ".org") ? String(name.dropLast(4)) : name)
    let drawer = link.map { ["   :PROPERTIES:", "   :ORIGINAL_ID: \($0.string)", "   :END:"] } ?? []
    let text = Self.text(of: entry)
    lines = (text.isEmpty ? [""] : text) + drawer
  }

  /// The entry in a list of tasks or matches.
  var listed: AgendaItem {
    AgendaItem(priority: importance, heading: heading(prefix: "\(category):"), lines: lines)
  }

  /// The entry on a day of the agenda.
  func item(for occasion: OrgOccasion, isToday: Bool) -> AgendaItem {
    let (leader, adjustment, rank) = Self.appearance(of: occasion.kind, isToday: isToday)
    let time = Self.time(occasion)
    let prefix = Self.padded("\(category):", 12) + (time.isEmpty ? "" : Self.padded(time, 12)) + leader
    let isByTimestamp = occasion.kind == .timestamp
    return AgendaItem(
      minutes: occasion.time.map { $0.hour * 60 + $0.minute } ?? .max, priority: importance + adjustment, rank: rank,
      heading: heading(prefix: prefix, withoutTimestamps: isByTimestamp), lines: lines)
  }

  /// The prefix of the entry, the urgency that is added to its priority (as in org-agenda-get-deadlines), and the rank of its
  /// kind.
  private static func appearance(of kind: OrgOccasion.Kind, isToday: Bool) -> (String, Int, Int) {
    switch kind {
    case .deadline(0): ("Deadline:", 0, 0)
    case .deadline(let days) where days > 0: ("In \(padded(left: days, 3)) d.:", -days, 0)
    case .deadline(let days): ("\(padded(left: -days, 2)) d. ago:", -days, 0)
    case .scheduled(let days) where isToday && days > 0: ("Sched.\(padded(left: days, 2))x:", 99 + days, 1)
    case .scheduled(let days): ("Scheduled:", 99 + days, 1)
    case .range(let day, let count): ("(\(day)/\(count)):", 0, 2)
    case .timestamp: ("", 0, 3)
    }
  }

  private static func time(_ occasion: OrgOccasion) -> String {
    guard let start = occasion.time else { return "" }
    guard let end = occasion.endTime else { return "\(clock(start))......" }
    return "\(clock(start))-\(clock(end).trimmingBlanks)"
  }

  private static func clock(_ time: OrgTimestamp.Time) -> String {
    "\(padded(left: time.hour, 2)):\(time.minute < 10 ? "0" : "")\(time.minute)"
  }

  static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  static func padded(left number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: " ", count: max(0, width - digits.count)) + digits
  }

  /// The priority as a number, for sorting as in Org; entries without one sort as B.
  private var importance: Int {
    guard let priority = entry.priority else { return 1_000 }
    let value = Int(priority) ?? Int(priority.utf8.first ?? UInt8(ascii: "B"))
    return 1_000 * (Int(UInt8(ascii: "C")) - value)
  }

  // MARK: The heading

  private func heading(prefix: String, withoutTimestamps: Bool = false) -> String {
    let title = entry.heading.string
    let words = [
      entry.keyword, entry.priority.map { "[#\($0)]" }, withoutTimestamps ? Self.withoutTimestamps(title) : title, tags,
    ]
    return words.compactMap { $0?.isEmpty ?? true ? nil : $0 }.joined(separator: " ")
      + "<before>\(prefix.trimmingBlanks)</before>"
  }

  /// The tags; inherited ones come before a double colon.
  private var tags: String? {
    let inherited = entry.inheritedTags
    let own = entry.tags.filter { !inherited.contains($0) }
    if inherited.isEmpty { return own.isEmpty ? nil : ":\(own.joined(separator: ":")):" }
    return ":\(inherited.joined(separator: ":"))::" + (own.isEmpty ? "" : "\(own.joined(separator: ":")):")
  }

  /// Removes timestamps from a title, because the time is in the prefix already.
  private static func withoutTimestamps(_ title: String) -> String {
    var (result, rest) = ("", title[...])
    while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
      let stamp = rest[open...close]
      result += rest[..<open]
      if OrgTimestamp(String(stamp)) == nil { result += stamp }
      rest = rest[rest.index(after: close)...]
    }
    return (result + rest).trimmingBlanks
  }

  // MARK: The text

  /// The planning line and the text, at most ten lines, without drawers, indented by three columns (org-mobile.el).
  private static func text(of entry: OrgEntry) -> [String] {
    var lines: [Bytes] = []
    var isInDrawer = false
    for line in entry.text.textLines {
      let word = line.trimmed
      if isInDrawer {
        isInDrawer = !word.equals(ignoringCase: ":end:".utf8)
      } else if word.isDrawerStart {
        isInDrawer = true
      } else {
        lines.append(line.withoutTabs)
      }
    }
    while lines.last?.isBlank ?? false { lines.removeLast() }
    let indentations: [Int] = lines.compactMap { $0.firstIndex { $0 != 0x20 } }
    let indentation = indentations.min() ?? 0
    let text = lines.map { ($0.isBlank ? Bytes() : Bytes($0.dropFirst(indentation))).string }.drop { $0.isEmpty }
    return text.prefix(10).map { "   " + $0 }
  }
}

extension [UInt8] {
  /// True if the line begins a drawer: a name between colons, and nothing else.
  fileprivate var isDrawerStart: Bool {
    count > 2 && first == UInt8(ascii: ":") && last == UInt8(ascii: ":")
      && dropFirst().dropLast().allSatisfy { byte in
        Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber || byte > 127
          || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      }
  }

  /// The line with tabs replaced by spaces, up to the next multiple of eight columns.
  fileprivate var withoutTabs: Bytes {
    guard contains(0x09) else { return self }
    return reduce(into: Bytes()) { line, byte in
      if byte == 0x09 { line += Bytes(repeating: 0x20, count: 8 - line.count % 8) } else { line.append(byte) }
    }
  }
}
