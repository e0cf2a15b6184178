import SyncKit

/// One step of a simulated history. It carries all that decides it, so that other steps can be left out.
struct Step: Sendable {
  enum Kind: Sendable {
    /// A person changes files in one place.
    case edit(Edit, Place)
    /// Two people do the same in both stores.
    case sameEdit
    /// A device syncs, with what disturbs it.
    case pass(DeviceIndex, [Disturbance], faults: Double)
    /// A device gets an old archive back, without the contents that it holds.
    case rollBack(DeviceIndex)
  }

  /// When a step is done; those at the end make sure that a history is as rough as it should be.
  enum Condition: Sendable {
    case always, whileCrashesLack, whileFaultsLack
  }

  let kind: Kind
  let seed: UInt64
  var condition = Condition.always
}

/// One of the two devices.
enum DeviceIndex: Int, CaseIterable, Sendable {
  case first, second

  var other: DeviceIndex { self == .first ? .second : .first }
}

/// Where a person changes files.
enum Place: Int, CaseIterable, Sendable {
  case firstStore, secondStore, remote
}

/// What happens at one moment of a pass.
struct Disturbance: Sendable {
  enum Kind: Sendable {
    case crash
    case edit(Edit, Place)
    /// The other device syncs.
    case otherPass
  }

  let moment: Int
  let kind: Kind
}

extension Step {
  /// The history that a seed stands for.
  static func history(seed: UInt64) -> [Step] {
    var generator = SplitMix64(state: seed)
    let count = Int.random(in: 30...40, using: &generator)
    return (0..<count).map { _ in random(&generator) } + reserves(&generator)
  }

  private static func random(_ generator: inout SplitMix64) -> Step {
    let seed = generator.next()
    switch Int.random(in: 0..<100, using: &generator) {
    case ..<52: return Step(kind: .edit(edit(&generator), place(&generator)), seed: seed)
    case ..<58: return Step(kind: .sameEdit, seed: seed)
    case ..<97: return Step(kind: pass(&generator), seed: seed)
    default: return Step(kind: .rollBack(device(&generator)), seed: seed)
    }
  }

  private static func pass(_ generator: inout SplitMix64) -> Kind {
    var disturbances: [Disturbance] = []
    if Int.random(in: 0..<100, using: &generator) < 30 {
      disturbances.append(Disturbance(moment: moment(&generator), kind: .crash))
    }
    if Int.random(in: 0..<100, using: &generator) < 25 {
      disturbances.append(Disturbance(moment: moment(&generator), kind: interruption(&generator)))
    }
    let faults = Int.random(in: 0..<100, using: &generator) < 35 ? Double.random(in: 0.02...0.4, using: &generator) : 0
    return .pass(device(&generator), disturbances, faults: faults)
  }

  private static func interruption(_ generator: inout SplitMix64) -> Disturbance.Kind {
    Int.random(in: 0..<4, using: &generator) == 0 ? .otherPass : .edit(edit(&generator), place(&generator))
  }

  /// Early moments are as likely as late ones, though most passes are short.
  private static func moment(_ generator: inout SplitMix64) -> Int {
    Int.random(in: 1...(8 << Int.random(in: 0...4, using: &generator)), using: &generator)
  }

  private static func edit(_ generator: inout SplitMix64) -> Edit {
    Edit.allCases[Int.random(in: 0..<Edit.allCases.count, using: &generator)]
  }

  /// People work on their devices, and now and then in the remote itself.
  private static func place(_ generator: inout SplitMix64) -> Place {
    Int.random(in: 0..<8, using: &generator) == 0
      ? .remote : Bool.random(using: &generator) ? .firstStore : .secondStore
  }

  private static func device(_ generator: inout SplitMix64) -> DeviceIndex {
    Bool.random(using: &generator) ? .first : .second
  }

  private static func reserves(_ generator: inout SplitMix64) -> [Step] {
    let crashes = (0..<2).map { _ in
      Step(
        kind: .pass(device(&generator), [Disturbance(moment: 5, kind: .crash)], faults: 0), seed: generator.next(),
        condition: .whileCrashesLack)
    }
    let faults = (0..<8).map { _ in
      Step(kind: .pass(device(&generator), [], faults: 0.5), seed: generator.next(), condition: .whileFaultsLack)
    }
    return crashes + faults
  }
}

extension Step: CustomStringConvertible {
  var description: String {
    switch kind {
    case .edit(let edit, let place): "somebody does \(edit) in \(place)"
    case .sameEdit: "somebody does the same in both stores"
    case .pass(let device, let disturbances, let faults):
      "the \(device) device syncs" + disturbances.map { "; at moment \($0.moment) \($0.kind)" }.joined()
        + (faults > 0 ? "; \(Int(faults * 100)) % of the calls go wrong" : "")
    case .rollBack(let device): "the \(device) device gets an old archive back"
    }
  }
}
