/// The circumstances of a verb: the time, the settings, new identifiers and the answers of the user.
public struct OrgContext: Sendable {
  /// The wall time at which the verb happens.
  public var now: OrgMoment
  /// The zone of the wall time.
  public var zone: OrgZone
  /// Org's variables, before those that a file or an entry sets.
  public var settings: OrgSettings
  /// Returns a new identifier for an entry.
  public var newID: @Sendable () -> String
  /// The answers to the questions of the verb, in the order in which Org asks them.
  public var answers: [String]
  /// The notes for the log, in the order in which Org asks for them.
  public var notes: [OrgNote]
  /// The entry with the running clock. If nil, the files of the set are searched for an open clock line.
  public var runningClock: OrgPlace?
  /// The user's name, for `%n` in capture templates.
  public var userName: String
  /// True if a typed date that Org would take for another one is refused: with a word that is not part of a date, or a day that does
  /// not exist. Emacs shows the date while it is typed; other programs have no such moment.
  public var refusesUnclearDates: Bool

  /// Creates the circumstances of a verb.
  public init(
    now: OrgMoment, zone: OrgZone = .utc, settings: OrgSettings = OrgSettings(), answers: [String] = [],
    notes: [OrgNote] = [], newID: @escaping @Sendable () -> String
  ) {
    (self.now, self.zone, self.settings, self.answers, self.notes) = (now, zone, settings, answers, notes)
    self.newID = newID
    (userName, refusesUnclearDates) = ("", false)
  }
}

/// An answer to Org's request for a note.
public enum OrgNote: Sendable, Hashable {
  /// The text of the note; an empty one writes only the first line of the log item.
  case text(String)
  /// The user closes the note buffer without a note: nothing is logged.
  case aborted
}
