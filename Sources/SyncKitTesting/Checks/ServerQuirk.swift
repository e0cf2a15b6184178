/// An exception: a check that a server cannot pass, and the reason. The check is skipped, and the report gives the reason.
public struct ServerQuirk: Hashable, Sendable {
  /// The check that the server cannot pass.
  public let check: CheckID
  /// The reason, as a sentence for the reader of a report.
  public let reason: String

  public init(check: CheckID, _ reason: String) {
    self.check = check
    self.reason = reason
  }
}

/// The outcome of a check that did not fail.
public enum CheckOutcome: Hashable, Sendable {
  /// The claim held.
  case passed
  /// The claim was not tested, for this reason.
  case notAsked(String)

  /// Returns the outcome, and prints a line if the claim was not tested.
  func announced(for check: CheckID) -> CheckOutcome {
    if case .notAsked(let reason) = self { print("check \(check) was skipped: \(reason)") }
    return self
  }
}
