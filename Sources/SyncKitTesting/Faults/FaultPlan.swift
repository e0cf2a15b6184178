import SyncKit

/// Which calls of a storage go wrong, and how.
public struct FaultPlan: Sendable {
  private let fault: @Sendable (Int) -> Fault?

  /// A plan that is asked before each call, which it is given the number of, counted from 1.
  public init(_ fault: @escaping @Sendable (Int) -> Fault?) { self.fault = fault }

  /// The fault of one call, if it has one.
  public func fault(ofCall number: Int) -> Fault? { fault(number) }

  /// Nothing goes wrong.
  public static let none = FaultPlan { _ in nil }

  /// Each call goes wrong in the same way.
  public static func every(_ fault: Fault) -> FaultPlan { FaultPlan { _ in fault } }

  /// One call goes wrong.
  public static func nth(_ number: Int, _ fault: Fault) -> FaultPlan { FaultPlan { $0 == number ? fault : nil } }

  /// A share of the calls goes wrong, chosen by `seed`: the same seed makes the same choice for the same call.
  public static func random(seed: UInt64, share: Double, of faults: [Fault] = Fault.allCases) -> FaultPlan {
    FaultPlan { number in
      var generator = SplitMix64(state: seed &+ UInt64(number) &* 0x2545_F491_4F6C_DD1D)
      guard Double.random(in: 0..<1, using: &generator) < share else { return nil }
      return faults.randomElement(using: &generator)
    }
  }
}
