/// A fault of one call of a storage.
public enum Fault: String, Hashable, Sendable, CaseIterable {
  /// The place is unreachable; nothing has happened.
  case unreachable
  /// This one path fails; nothing has happened.
  case failsPath
  /// A change is made, but its answer is lost; for other calls only the answer is lost.
  case losesReply
  /// A change is refused although its condition holds.
  case refuses
  /// A listing repeats the result of the previous one.
  case listsStale
  /// A listing ends early, and reports that.
  case cutsListing
  /// A listing omits files, and claims to be complete.
  case dropsFromListing
  /// A listing shows names in upper case.
  case altersNames
  /// A change is reported as done, but not made.
  case pretends
  /// A stored content differs from the one that was sent.
  case altersContent
  /// A change is made even if its condition does not hold.
  case ignoresCondition
  /// The call is slow.
  case delays
}

extension Fault {
  /// The faults of an honest place: everything that it reports is true.
  public static let honest: [Fault] = [.unreachable, .failsPath, .losesReply, .refuses, .cutsListing, .delays]
}
