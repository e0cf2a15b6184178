import SyncKit

/// One step of a simulated history. It is independent of other steps, so that they can be omitted.
struct Step: Sendable {
  indirect enum Kind: Sendable {
    /// A person changes files in one place.
    case edit(Edit, ReplicaID)
    /// A person changes a file in one place that a device has not finished to sync with a remote.
    case editHalfMade(Edit, ReplicaID, of: Int, with: Int)
    /// Two people make the same change in two stores.
    case sameEdit
    /// A device syncs with one of its remotes, with disturbances.
    case pass(Int, with: Int, [Disturbance], faults: Double)
    /// A device's archive is restored from a backup, without the contents that it holds.
    case rollBack(Int)
    /// A remote is restored from a backup.
    case restoreRemote(Int)
    /// A device ignores the files that match a pattern, instead of those that it ignored before; nil for none.
    case ignore(Int, String?)
    /// A person removes every file of one place.
    case clear(ReplicaID)
    /// A person denies the deletions that a device holds for one of its remotes.
    case deny(Int, Int)
    /// A person runs a command on a device; the process is killed at a moment, unless it is nil.
    case command(Command, Int, killedAt: Int?)
    /// All devices sync undisturbed until nothing more is written. Then a person resolves every conflict on one device, another one
    /// adds a line on another device, and the steps happen. When all is quiet again, no conflict may be back.
    case resolve(Int, beside: Int, then: [Step])
    /// All devices sync undisturbed until nothing more is written; then every place must hold exactly what this one held
    /// before. The only edits since the last such step were made in it.
    case spread(ReplicaID)
  }

  /// The condition for a step; conditional steps at the end make sure that a history is rough enough.
  enum Condition: Sendable {
    case always, whileCrashesLack, whileFaultsLack
  }

  let kind: Kind
  let seed: UInt64
  var condition = Condition.always

  var isSpread: Bool { if case .spread = kind { true } else { false } }
}

/// A store or a remote by its number.
enum ReplicaID: Hashable, Sendable {
  case store(Int)
  case remote(Int)
}

/// A disturbance at one moment of a pass.
struct Disturbance: Sendable {
  enum Kind: Sendable {
    case crash
    case edit(Edit, ReplicaID)
    /// Another device syncs.
    case otherPass(Int, with: Int)
    /// A person captures a line on a device: the inbox is read at the moment of the disturbance, and written some moments later.
    case capture(Int, later: Int)
  }

  let moment: Int
  let kind: Kind
}

extension Step: CustomStringConvertible {
  var description: String {
    switch kind {
    case .edit(let edit, let replica): "a user makes the edit \(edit) in \(replica)"
    case .editHalfMade(let edit, let replica, let device, let remote):
      "a user makes the edit \(edit) in \(replica), of a file that device \(device) was syncing with remote \(remote)"
    case .sameEdit: "two users make the same edit in two stores"
    case .pass(let device, let remote, let disturbances, let faults):
      "device \(device) syncs with remote \(remote)"
        + disturbances.map { "; at moment \($0.moment) \($0.kind)" }.joined()
        + (faults > 0 ? "; \(Int(faults * 100)) % of the calls fail" : "")
    case .rollBack(let device): "the archive of device \(device) is restored from a backup"
    case .restoreRemote(let remote): "remote \(remote) is restored from a backup"
    case .ignore(let device, let pattern): "device \(device) ignores \(pattern ?? "nothing")"
    case .clear(let replica): "a person removes every file of \(replica)"
    case .deny(let device, let remote): "a person denies what device \(device) holds for remote \(remote)"
    case .command(let command, let device, let moment):
      "a person runs \(command) on device \(device)" + (moment.map { "; it is killed at moment \($0)" } ?? "")
    case .resolve(let device, let other, let steps):
      "all conflicts are resolved on device \(device), beside an edit on device \(other)"
        + steps.map { "; \($0)" }.joined()
    case .spread(let replica): "all devices sync; every replica must equal \(replica)"
    }
  }
}
