import SyncKit

/// One step of a simulated history. It carries all that decides it, so that other steps can be left out.
struct Step: Sendable {
  enum Kind: Sendable {
    /// A person changes files in one place.
    case edit(Edit, ReplicaID)
    /// Two people do the same in two stores.
    case sameEdit
    /// A device syncs with one of its remotes, with what disturbs it.
    case pass(Int, with: Int, [Disturbance], faults: Double)
    /// A device gets an old archive back, without the contents that it holds.
    case rollBack(Int)
    /// All devices sync undisturbed until nothing more is written, after which every place has to hold exactly what this
    /// one, where the only edits since the last such step were made, held before.
    case spread(ReplicaID)
  }

  /// When a step is done; those at the end make sure that a history is as rough as it should be.
  enum Condition: Sendable {
    case always, whileCrashesLack, whileFaultsLack
  }

  let kind: Kind
  let seed: UInt64
  var condition = Condition.always

  var isSpread: Bool { if case .spread = kind { true } else { false } }
}

/// A store or a remote, by its number.
enum ReplicaID: Hashable, Sendable {
  case store(Int)
  case remote(Int)
}

/// What happens at one moment of a pass.
struct Disturbance: Sendable {
  enum Kind: Sendable {
    case crash
    case edit(Edit, ReplicaID)
    /// Another device syncs.
    case otherPass(Int, with: Int)
  }

  let moment: Int
  let kind: Kind
}

extension Step: CustomStringConvertible {
  var description: String {
    switch kind {
    case .edit(let edit, let replica): "a person does \(edit) in \(replica)"
    case .sameEdit: "two people do the same in two stores"
    case .pass(let device, let remote, let disturbances, let faults):
      "device \(device) syncs with remote \(remote)"
        + disturbances.map { "; at moment \($0.moment) \($0.kind)" }.joined()
        + (faults > 0 ? "; \(Int(faults * 100)) % of the calls go wrong" : "")
    case .rollBack(let device): "device \(device) gets an old archive back"
    case .spread(let replica): "all devices sync; every replica must be as \(replica) is"
    }
  }
}
