/// The facts of an entry that the agenda, queries and lists use: headline, place, dates, log and properties, without its text.
///
/// An item does not refer to its document, so that an index can store it. ``OrgItems`` reads the items of a file.
public struct OrgItem: Sendable, Hashable {
  /// A property of the entry's drawer.
  public struct Property: Sendable, Hashable {
    /// The key as written.
    public var key: String
    /// The value.
    public var value: String

    /// A property.
    public init(key: String, value: String) { (self.key, self.value) = (key, value) }

    /// Returns true if the key is this one; the case is ignored.
    func has(_ other: String) -> Bool {
      guard key.isASCII, other.isASCII else {
        return key.count == other.count && key.uppercased() == other.uppercased()
      }
      return key.utf8.count == other.utf8.count
        && zip(key.utf8, other.utf8).allSatisfy { $0.lowercased == $1.lowercased }
    }
  }

  /// A range of days or times: `<2026-03-02 Mon>--<2026-03-05 Thu>`.
  public struct Range: Sendable, Hashable {
    /// The first timestamp.
    public var first: OrgTimestamp
    /// The last timestamp.
    public var last: OrgTimestamp
  }

  /// A timestamp in title or text, or the first and last one of an active range.
  public struct Date: Sendable, Hashable {
    /// The timestamp, or the first of a range.
    public var first: OrgTimestamp
    /// The last timestamp of a range.
    public var last: OrgTimestamp?
  }

  /// The facts of an item while it is read.
  struct Facts: Sendable, Hashable {
    var file: String
    var line: Int
    var level: Int
    var path: [String]
    var comments: [Int] = []
    var keyword: String?
    var isDone = false
    var priority: String?
    var tags: [String] = []
    var inheritedTags: [String] = []
    var category: String
    var isArchived = false
    var properties: [Property] = []
    var deadline: OrgPlannedDate?
    var scheduled: OrgPlannedDate?
    var closed: OrgTimestamp?
    var dates: [Date] = []
    var expressions: [OrgDiaryLine] = []
    var log: [OrgLogEntry] = []
    var priorities = OrgPriorities()

    init(file: String, line: Int, level: Int, path: [String], category: String) {
      (self.file, self.line, self.level, self.path, self.category) = (file, line, level, path, category)
    }
  }

  /// Facts that copies of an item share: an agenda copies its items many times.
  private final class Shared: Sendable {
    let facts: Facts

    init(_ facts: Facts) { self.facts = facts }
  }

  private let shared: Shared

  /// An item with these facts.
  init(_ facts: Facts) { shared = Shared(facts) }

  /// Returns the item with other facts.
  func with(_ change: (inout Facts) -> Void) -> OrgItem {
    var facts = shared.facts
    change(&facts)
    return OrgItem(facts)
  }

  /// Items with equal facts are equal.
  public static func == (left: OrgItem, right: OrgItem) -> Bool {
    left.shared === right.shared || left.shared.facts == right.shared.facts
  }

  /// Hashes the facts.
  public func hash(into hasher: inout Hasher) { hasher.combine(shared.facts) }

  /// The path of the file, relative to the folder of the store.
  public var file: String { shared.facts.file }
  /// The line of the headline, counted from 1.
  public var line: Int { shared.facts.line }
  /// The number of stars.
  public var level: Int { shared.facts.level }
  /// The titles from the top level down to this entry.
  public var path: [String] { shared.facts.path }
  /// The places in ``path`` of headlines with the keyword COMMENT.
  public var comments: [Int] { shared.facts.comments }
  /// The state of the task; nil if the entry is not a task.
  public var keyword: String? { shared.facts.keyword }
  /// True if the state means "done".
  public var isDone: Bool { shared.facts.isDone }
  /// The priority, a letter or a number; nil if there is none.
  public var priority: String? { shared.facts.priority }
  /// The tags of the headline itself, in order.
  public var tags: [String] { shared.facts.tags }
  /// The tags of the file and of all parents, from the top; a tag that several of them have occurs several times.
  public var inheritedTags: [String] { shared.facts.inheritedTags }
  /// The category: the property of the entry or its nearest parent, that of the file, otherwise the file's name.
  public var category: String { shared.facts.category }
  /// True if the entry, a parent or the file has the tag ARCHIVE.
  public var isArchived: Bool { shared.facts.isArchived }
  /// The properties in the order of the drawer.
  public var properties: [Property] { shared.facts.properties }
  /// The deadline.
  public var deadline: OrgPlannedDate? { shared.facts.deadline }
  /// The scheduled date.
  public var scheduled: OrgPlannedDate? { shared.facts.scheduled }
  /// The closing time.
  public var closed: OrgTimestamp? { shared.facts.closed }
  /// The timestamps and ranges in title and text in order, without those of clocks.
  public var dates: [Date] { shared.facts.dates }
  /// The diary expressions in the text, as lines or in timestamps.
  public var expressions: [OrgDiaryLine] { shared.facts.expressions }
  /// The log: clock lines and state changes, in order.
  public var log: [OrgLogEntry] { shared.facts.log }
  /// The values of priorities in this file.
  public var priorities: OrgPriorities { shared.facts.priorities }
  /// True if the entry or a parent has the keyword COMMENT.
  public var isComment: Bool { !comments.isEmpty }

  /// The active timestamps in title and text that are not part of a range, in order.
  public var timestamps: [OrgTimestamp] {
    dates.compactMap { $0.last == nil && $0.first.isActive ? $0.first : nil }
  }

  /// The inactive timestamps in title and text, without those of clocks.
  public var inactiveTimestamps: [OrgTimestamp] { dates.compactMap { $0.first.isActive ? nil : $0.first } }

  /// The active ranges in title and text.
  public var ranges: [Range] { dates.compactMap { date in date.last.map { Range(first: date.first, last: $0) } } }

  /// The title without keyword, priority and tags.
  public var title: String { path.last ?? "" }

  /// All tags, inherited ones first. A tag that occurs several times counts as that of the nearest entry.
  public var allTags: [String] { uniqueInheritedTags + tags }

  /// The inherited tags that no nearer entry has.
  var uniqueInheritedTags: [String] {
    guard !inheritedTags.isEmpty else { return [] }
    return inheritedTags.indices.filter { index in
      let tag = inheritedTags[index]
      return !tags.contains(tag) && !inheritedTags[(index + 1)...].contains(tag)
    }.map { inheritedTags[$0] }
  }

  /// The headline without stars and tags: `TODO [#A] Title`.
  public var headline: String {
    let title = title
    var text = keyword ?? ""
    if let priority { text += keyword == nil ? "[#\(priority)]" : " [#\(priority)]" }
    if title.isEmpty || text.isEmpty { return text + title }
    return "\(text) \(title)"
  }

  /// True if the entry is a task that is not done.
  public var isOpenTask: Bool { keyword != nil && !isDone }

  /// The property `ID`.
  public var id: String? { self[property: "ID"] }

  /// The value of a property; the key's case is ignored.
  public subscript(property key: String) -> String? {
    shared.facts.properties.first { $0.has(key) }?.value
  }

  /// The property `EFFORT` in minutes.
  public var effort: Int? { self[property: "EFFORT"].flatMap { Self.minutes($0) } }

  /// Returns the minutes of a duration such as `0:30` or `2h`; nil if the text is not one.
  public static func minutes(_ duration: String) -> Int? { OrgDuration.minutes(duration) }

  /// True if the entry is a habit: `STYLE` is `habit`.
  public var isHabit: Bool { self[property: "STYLE"] == "habit" }
}

/// A date on the planning line: a timestamp, or a diary expression as in `SCHEDULED: <%%(diary-float t 4 2)>`.
public enum OrgPlannedDate: Sendable, Hashable {
  /// A timestamp.
  case timestamp(OrgTimestamp)
  /// The Lisp expression of a timestamp, and the text behind it.
  case expression(String, rest: String)

  /// The timestamp; nil for an expression.
  public var timestamp: OrgTimestamp? { if case .timestamp(let stamp) = self { stamp } else { nil } }
}

/// A diary expression: a line `%%(diary-anniversary 3 10 1980) Ada is %d`, or a timestamp `<%%(diary-float t 2 2) 18:00-19:00>`.
public struct OrgDiaryLine: Sendable, Hashable {
  /// The Lisp expression with its brackets.
  public var expression: String
  /// The text behind the expression.
  public var text: String
  /// True for a timestamp, which shows the entry's headline.
  public var isTimestamp: Bool
  /// The number of lines below the headline.
  public var offset: Int
}

/// An entry of the log: a clock line or a state change.
public struct OrgLogEntry: Sendable, Hashable {
  /// The kind of a log entry.
  public enum Kind: Sendable, Hashable {
    /// A clock line with its end, if the clock was stopped, and the duration as written.
    case clock(end: OrgTimestamp?, duration: String?)
    /// A change to a state, which may mean "done".
    case state(String, isDone: Bool)
  }

  /// The kind.
  public var kind: Kind
  /// True for a clock that was not stopped.
  package var isRunningClock: Bool { if case .clock(nil, _) = kind { true } else { false } }
  /// The time of the change, or the start of the clock.
  public var time: OrgTimestamp
  /// The first line of the note below it.
  public var note: String?
}

/// The values of priorities in a file, as set by `#+PRIORITIES: highest lowest default`.
public struct OrgPriorities: Sendable, Hashable {
  /// The value of the highest priority; letters are their ASCII codes.
  public var highest = 65
  /// The value of the lowest priority.
  public var lowest = 67
  /// The value of entries without a priority.
  public var usual = 66

  /// Org's default: A, C and B.
  public init() {}

  /// Parses the value of `#+PRIORITIES:`; nil if it does not have three priorities.
  public init?(_ text: String) {
    let values = text.split(separator: " ").map { Self.value(of: String($0)) }
    guard values.count >= 3 else { return nil }
    (highest, lowest, usual) = (values[0], values[1], values[2])
  }

  /// The value of a priority: a number, or the ASCII code of a letter.
  public static func value(of priority: String) -> Int {
    Int(written: priority) ?? Int(priority.utf8.first ?? UInt8(ascii: "B"))
  }

  /// Returns Org's importance of a priority: 1000 for each step above the lowest one.
  public func importance(of priority: String?) -> Int {
    1_000 * (lowest - (priority.map(Self.value(of:)) ?? usual))
  }
}

extension String {
  /// True if all characters are ASCII.
  var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}
