/// Something that a verb did in addition to the change of text that it was called for.
public enum OrgEffect: Sendable, Hashable {
  /// A file was changed or created.
  case changed(file: String)
  /// The clock was started on an entry.
  case clockStarted(file: String, title: String)
  /// The clock was stopped after a number of minutes.
  case clockStopped(file: String, title: String, minutes: Int)
  /// A task with a repeater was done: its dates moved on.
  case repeated(title: String)
  /// The entry is now at this place: the top line of a new, captured, refiled or archived entry.
  case entry(file: String, line: Int)
  /// A remark for the user, such as a date that moved because a month is too short.
  case hint(String)
}
