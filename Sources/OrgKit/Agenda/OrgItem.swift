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

  /// The path of the file, relative to the folder of the store.
  public var file: String
  /// The line of the headline, counted from 1.
  public var line: Int
  /// The number of stars.
  public var level: Int
  /// The titles from the top level down to this entry.
  public var path: [String]
  /// The places in ``path`` of headlines with the keyword COMMENT.
  public var comments: [Int] = []
  /// The state of the task; nil if the entry is not a task.
  public var keyword: String?
  /// True if the state means "done".
  public var isDone = false
  /// The priority, a letter or a number; nil if there is none.
  public var priority: String?
  /// The tags of the headline itself, in order.
  public var tags: [String] = []
  /// The tags of the file and of all parents, from the top; a tag that several of them have occurs several times.
  public var inheritedTags: [String] = []
  /// The category: the property of the entry or its nearest parent, that of the file, otherwise the file's name.
  public var category: String
  /// True if the entry or a parent has the keyword COMMENT.
  public var isComment: Bool { !comments.isEmpty }
  /// True if the entry, a parent or the file has the tag ARCHIVE.
  public var isArchived = false
  /// The properties in the order of the drawer.
  public var properties: [Property] = []
  /// The deadline.
  public var deadline: OrgPlannedDate?
  /// The scheduled date.
  public var scheduled: OrgPlannedDate?
  /// The closing time.
  public var closed: OrgTimestamp?
  /// The timestamps and ranges in title and text in order, without those of clocks.
  public var dates: [Date] = []
  /// The diary expressions in the text, as lines or in timestamps.
  public var expressions: [OrgDiaryLine] = []
  /// The log: clock lines and state changes, in order.
  public var log: [OrgLogEntry] = []
  /// The values of priorities in this file.
  public var priorities = OrgPriorities()

  /// Creates an item without dates.
  public init(file: String, line: Int, level: Int, path: [String], category: String) {
    (self.file, self.line, self.level, self.path, self.category) = (file, line, level, path, category)
  }

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
    inheritedTags.indices.filter { index in
      let tag = inheritedTags[index]
      return !tags.contains(tag) && !inheritedTags[(index + 1)...].contains(tag)
    }.map { inheritedTags[$0] }
  }

  /// The headline without stars and tags: `TODO [#A] Title`.
  public var headline: String {
    [keyword, priority.map { "[#\($0)]" }, title.isEmpty ? nil : title].compactMap(\.self).joined(separator: " ")
  }

  /// True if the entry is a task that is not done.
  public var isOpenTask: Bool { keyword != nil && !isDone }

  /// The property `ID`.
  public var id: String? { self[property: "ID"] }

  /// The value of a property; the key's case is ignored.
  public subscript(property key: String) -> String? {
    properties.first { $0.key.count == key.count && $0.key.uppercased() == key.uppercased() }?.value
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
    Int(priority) ?? Int(priority.utf8.first ?? UInt8(ascii: "B"))
  }

  /// Returns Org's importance of a priority: 1000 for each step above the lowest one.
  public func importance(of priority: String?) -> Int {
    1_000 * (lowest - (priority.map(Self.value(of:)) ?? usual))
  }
}
