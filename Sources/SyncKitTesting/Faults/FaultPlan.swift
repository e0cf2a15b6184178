import SyncKit

/// Determines which calls of a storage fail, and how.
public struct FaultPlan: Sendable {
  private let fault: @Sendable (Int) -> Fault?

  /// A plan that calls `fault` before each call with the call's number, counted from 1.
  public init(_ fault: @escaping @Sendable (Int) -> Fault?) { self.fault = fault }

  /// Returns the fault of a call; nil if there is none.
  public func fault(ofCall number: Int) -> Fault? { fault(number) }

  /// No call fails.
  public static let none = FaultPlan { _ in nil }

  /// Each call has the same fault.
  public static func every(_ fault: Fault) -> FaultPlan { FaultPlan { _ in fault } }

  /// One call has a fault.
  public static func nth(_ number: Int, _ fault: Fault) -> FaultPlan { FaultPlan { $0 == number ? fault : nil } }

  /// A share of the calls has faults, chosen by `seed`: the same seed gives the same call the same fault.
  public static func random(seed: UInt64, share: Double, of faults: [Fault] = Fault.allCases) -> FaultPlan {
    FaultPlan { number in
      var generator = SplitMix64(state: seed &+ UInt64(number) &* 0x2545_F491_4F6C_DD1D)
      guard Double.random(in: 0..<1, using: &generator) < share else { return nil }
      return faults.randomElement(using: &generator)
    }
  }
}
