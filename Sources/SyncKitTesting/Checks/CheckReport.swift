public import SyncKit

/// What all checks found about one storage or replica: which claims hold, what it declares, and how much was asked of it.
/// Print it, or fail a build by `failures`.
public struct CheckReport: Sendable {
  /// What became of one claim.
  public enum Grade: Hashable, Sendable {
    case held
    /// It does not hold; the text says what was expected and what came instead.
    case failed(String)
    /// It was not tried; the text says why.
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
    /// How many requests it took; each element of a batch is one.
    public let requests: Int
  }

  /// What the storage is called.
  public let address: String
  /// What it declares once all checks have run; nil if it cannot be opened.
  public let capabilities: Capabilities?
  /// The claims in the order of the checks.
  public let claims: [Claim]

  public var held: [Claim] { claims.filter { $0.grade == .held } }
  /// The claims that do not hold.
  public var failures: [Claim] { claims.filter { if case .failed = $0.grade { true } else { false } } }
  /// The claims that were not tried.
  public var notAsked: [Claim] { claims.filter { if case .notAsked = $0.grade { true } else { false } } }
  /// The number of requests that all checks made.
  public var requests: Int { claims.reduce(0) { $0 + $1.requests } }
}

extension CheckReport: CustomStringConvertible {
  /// A summary, then a line for each claim that does not hold or was not tried.
  public var description: String {
    ([summary] + [capabilities.map { "declares: \($0.listed)" }].compactMap(\.self)
      + (failures + notAsked).map { claim in
        switch claim.grade {
        case .failed(let reason): "FAILED  \(claim.check): \(claim.text): \(reason)"
        case .notAsked(let reason): "not asked  \(claim.check): \(claim.text): \(reason)"
        case .held: "held  \(claim.check): \(claim.text)"
        }
      }).joined(separator: "\n")
  }

  private var summary: String {
    "\(address): \(held.count) of \(claims.count.counted("claim")) held, \(failures.count) failed, "
      + "\(notAsked.count) not asked; \(requests.counted("request"))"
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
  /// Runs `checks`, one after the other, and returns what they found. Never throws: what fails is in the report. The
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
