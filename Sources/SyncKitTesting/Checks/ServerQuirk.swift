/// An exception: a check that a server cannot pass, and the reason. The check is not asked, and the report says why.
public struct ServerQuirk: Hashable, Sendable {
  /// The check that the server cannot pass.
  public let check: CheckID
  /// Why the server cannot pass, as a sentence for the reader of a report.
  public let reason: String

  public init(check: CheckID, _ reason: String) {
    self.check = check
    self.reason = reason
  }
}

/// How a check ended that did not fail.
public enum CheckOutcome: Hashable, Sendable {
  /// The claim held.
  case passed
  /// The claim was not tried, for this reason.
  case notAsked(String)

  /// The outcome, after a line on standard output if the claim was not tried.
  func announced(for check: CheckID) -> CheckOutcome {
    if case .notAsked(let reason) = self { print("check \(check) was not asked: \(reason)") }
    return self
  }
}
