/// One row of an agenda view: an entry with the reason why it is shown, or a heading or a line of the time grid.
public struct OrgAgendaRow: Sendable, Hashable {
  /// The kind of a row.
  public enum Kind: String, Sendable, Hashable {
    case deadline
    case upcomingDeadline = "upcoming-deadline"
    case scheduled
    case pastScheduled = "past-scheduled"
    case timestamp
    case block
    case sexp
    case closed
    case clock
    case state
    case todo
    case tagsMatch = "tagsmatch"
    case search
    case calendar
    /// A line of the time grid.
    case grid
    /// The heading of a view.
    case header
    /// The heading of a day.
    case day
    /// Another line, such as the separator between two views.
    case line
  }

  /// The kind.
  public var kind: Kind
  /// The entry; nil for headings, grid lines and events of calendars.
  public var item: OrgItem?
  /// The line that the row shows: that of the headline, or of the diary expression.
  public var line: Int?
  /// The day under which the row stands.
  public var day: OrgDay?
  /// The day that the row is about: for a late date that date.
  public var date: OrgDay?
  /// The day of the timestamp.
  public var timestampDate: OrgDay?
  /// The time of day.
  public var time: OrgTimestamp.Time?
  /// The time that the text shows; another one than ``time`` if the headline has several.
  public var shownTime: OrgTimestamp.Time?
  /// The end of a range of times.
  public var endTime: OrgTimestamp.Time?
  /// The duration in minutes.
  public var duration: Int?
  /// Org's number for the order within a day: the priority with more for late and scheduled tasks.
  public var urgency: Int?
  /// Org's number for the priority alone.
  public var importance: Int? { urgency == nil ? nil : item?.importance }
  /// The leading text, such as `Sched. 4x: `.
  public var extra = ""
  /// The heading as shown, without tags.
  public var heading: String
  /// The graph of a habit.
  public var habit: OrgHabit.Graph?
  /// The tags as shown, with inherited ones first; the number of those.
  public var tags: [String] = []
  /// The number of inherited tags at the start of ``tags``.
  public var inheritedTagCount = 0

  /// Creates a row.
  public init(_ kind: Kind, heading: String, day: OrgDay? = nil) {
    (self.kind, self.heading, self.day) = (kind, heading, day)
  }

  /// True for a row that shows an entry or an event.
  public var isEntry: Bool { ![.grid, .header, .day, .line].contains(kind) }

  /// The state of the task that is shown; nil if the entry is not a task, and in rows about its past and its text.
  public var todo: String? { [.closed, .clock, .state, .search].contains(kind) ? nil : item?.keyword }

  /// The category of the entry.
  public var category: String { item?.category ?? "" }
}
