/// One thing that goes wrong with one call of a storage.
public enum Fault: String, Hashable, Sendable, CaseIterable {
  /// The place cannot be reached; nothing has happened.
  case unreachable
  /// This one path fails; nothing has happened.
  case failsPath
  /// The change happens and its answer is lost; of anything else only the answer is lost.
  case losesReply
  /// A change is refused although its condition holds.
  case refuses
  /// A listing shows what the one before it showed.
  case listsStale
  /// A listing ends early, and says so.
  case cutsListing
  /// A listing leaves files out, and calls itself complete.
  case dropsFromListing
  /// A listing shows names in upper case.
  case altersNames
  /// A change is reported as done, and is not.
  case pretends
  /// A stored content is not the one that was sent.
  case altersContent
  /// A change happens whether its condition holds or not.
  case ignoresCondition
  /// The call takes a while.
  case delays
}

extension Fault {
  /// The faults of an honest place: what it says is true, what it does not say is unknown.
  public static let honest: [Fault] = [.unreachable, .failsPath, .losesReply, .refuses, .cutsListing, .delays]
}
