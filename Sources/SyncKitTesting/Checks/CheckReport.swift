public import SyncKit

/// The results of all checks on one storage or replica: which claims hold, the declared capabilities, and the number of
/// requests. Print it, or fail a build if it has `failures`.
public struct CheckReport: Sendable {
  /// The result for one claim.
  public enum Grade: Hashable, Sendable {
    case held
    /// The claim does not hold; the text has the expected and the actual result.
    case failed(String)
    /// The claim was not tested; the text has the reason.
    case notAsked(String)
  }

  /// One claim.
  public struct Claim: Sendable {
    /// The check that established the claim.
    public let check: CheckID
    /// The claim as a sentence.
    public let text: String
    /// The result.
    public let grade: Grade
    /// The number of requests; each element of a batch counts as one.
    public let requests: Int
  }

  /// The address of the storage.
  public let address: String
  /// The declared capabilities after all checks; nil if the storage cannot be opened.
  public let capabilities: Capabilities?
  /// The claims in the order of the checks.
  public let claims: [Claim]

  public var held: [Claim] { claims.filter { $0.grade == .held } }
  /// The claims that do not hold.
  public var failures: [Claim] { claims.filter { if case .failed = $0.grade { true } else { false } } }
  /// The claims that were not tested.
  public var notAsked: [Claim] { claims.filter { if case .notAsked = $0.grade { true } else { false } } }
  /// The number of requests that all checks made.
  public var requests: Int { claims.reduce(0) { $0 + $1.requests } }
}

extension CheckReport: CustomStringConvertible {
  /// A summary, then a line for each claim that does not hold or was not tested.
  public var description: String {
    ([summary] + [capabilities.map { "declares: \($0.listed)" }].compactMap(\.self)
      + (failures + notAsked).map { claim in
        switch claim.grade {
        case .failed(let reason): "FAILED  \(claim.check): \(claim.text): \(reason)"
        case .notAsked(let reason): "skipped  \(claim.check): \(claim.text): \(reason)"
        case .held: "held  \(claim.check): \(claim.text)"
        }
      }).joined(separator: "\n")
  }

  private var summary: String {
    "\(address): \(held.count) of \(claims.count.counted("claim")) held, \(failures.count) failed, "
      + "\(notAsked.count) skipped; \(requests.counted("request"))"
  }
}

extension Capabilities {
  fileprivate var listed: String {
    [
      "replacement by \(replacement.rawValue)", isRaceFree ? "race-free" : "not race-free",
      provesAbsence ? "proves absence" : "does not prove absence",
      "at most \(parallelism.counted("request")) at a time",
      "at most \(commitLimit.count.counted("change")) in a commit",
    ].joined(separator: ", ")
  }
}

extension StorageCheck {
  /// Runs `checks` one after the other and returns their results. Never throws: the report contains the failures. The
  /// parameters are those of `run`.
  public static func report(
    _ checks: [StorageCheck] = all, on fresh: @escaping @Sendable () async throws -> Handles,
    unreachable: (@Sendable () async throws -> any Storage)? = nil, secrets: [String] = [],
    quirks: [ServerQuirk] = [], timeLimit: Duration = .seconds(600)
  ) async -> CheckReport {
    var claims: [CheckReport.Claim] = []
    for check in checks {
      let requests = RequestCount()
      let bench = StorageBench(fresh: fresh, unreachable: unreachable, secrets: secrets, requests: requests)
      let grade: CheckReport.Grade
      do {
        switch try await check.run(on: bench, quirks: quirks, timeLimit: timeLimit) {
        case .passed: grade = .held
        case .notAsked(let reason): grade = .notAsked(reason)
        }
      } catch { grade = .failed("\(error)") }
      claims.append(CheckReport.Claim(check: check.id, text: check.name, grade: grade, requests: requests.total))
    }
    let storage = try? await fresh().one
    return CheckReport(
      address: storage?.address ?? "a storage that cannot be opened", capabilities: try? await storage?.capabilities(),
      claims: claims)
  }
}
