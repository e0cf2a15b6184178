import SyncKit

/// The history of a seed: devices, remotes and steps.
struct History: Sendable {
  let topology: Topology
  let steps: [Step]
  /// Files that only captures change.
  let spared: Set<SyncPath>

  /// - Parameter hasCommands: True if people also run commands.
  init(seed: UInt64, hasCommands: Bool) {
    var generator = SplitMix64(state: seed)
    let isLonely = Int.random(in: 0..<3, using: &generator) == 0
    topology = Topology.random(isTree: isLonely, &generator)
    var author = Author(topology: topology, generator: generator)
    let steps = isLonely ? author.lonely() : author.crowded()
    spared = isLonely ? [StoreCommand.inbox] : []
    var commands = CommandAuthor(topology: topology, seed: seed)
    self.steps = hasCommands ? commands.adding(to: steps, isLonely: isLonely) : steps
  }
}

/// Generates histories.
private struct Author {
  let topology: Topology
  var generator: SplitMix64
  /// True if remotes are restored from backups, and not archives: a device cannot notice a remote that is restored together with
  /// its own archive.
  let restoresRemotes: Bool

  init(topology: Topology, generator: SplitMix64) {
    self.topology = topology
    self.generator = generator
    restoresRemotes = Bool.random(using: &self.generator)
  }

  /// Several people edit anywhere at any time.
  mutating func crowded() -> [Step] {
    var steps: [Step] = []
    for _ in 0..<number(in: 30...40) {
      let step = crowdedStep()
      steps.append(step)
      // A person denies about half of the deletions that are held.
      if case .pass(let device, let remote, _, _) = step.kind, chance(50) {
        steps.append(Step(kind: .deny(device, remote), seed: generator.next()))
      }
      // Most people continue to work at once on a device that has just crashed, often on what it was syncing.
      if case .pass(let device, let remote, let disturbances, _) = step.kind, disturbances.contains(where: \.isCrash) {
        if chance(60) { steps.append(Step(kind: .edit(edit(), replica()), seed: generator.next())) }
        if chance(50) { steps.append(halfMade(at: chance(50) ? .store(device) : .remote(remote), device, remote)) }
      }
    }
    return steps + reserves()
  }

  /// One person edits one place after the other, and lets everything sync before the next edit elsewhere.
  mutating func lonely() -> [Step] {
    var steps: [Step] = []
    for _ in 0..<3 {
      let replica = replica()
      for _ in 0..<number(in: 10...14) {
        let step = lonelyStep(at: replica)
        steps.append(step)
        if case .pass(let device, let remote, let disturbances, _) = step.kind, disturbances.contains(where: \.isCrash),
          chance(50)
        {
          steps.append(halfMade(at: replica, device, remote, isPlain: true))
        }
      }
      steps += reserves() + [Step(kind: .spread(replica), seed: generator.next())]
    }
    return steps
  }

  private mutating func crowdedStep() -> Step {
    let seed = generator.next()
    switch number(in: 0...99) {
    case ..<48: return Step(kind: .edit(edit(), replica()), seed: seed)
    case ..<53: return Step(kind: .sameEdit, seed: seed)
    case ..<90: return Step(kind: pass(interruption: nil), seed: seed)
    case ..<95:
      let remote = number(in: 0...topology.remoteCount - 1)
      return Step(kind: restoresRemotes ? .restoreRemote(remote) : .rollBack(device()), seed: seed)
    case ..<98: return Step(kind: .ignore(device(), ignored()), seed: seed)
    default: return Step(kind: .clear(replica()), seed: seed)
    }
  }

  /// An edit of what a pass was syncing.
  private mutating func halfMade(at replica: ReplicaID, _ device: Int, _ remote: Int, isPlain: Bool = false) -> Step {
    let edit = isPlain ? plainEdit() : edit()
    return Step(kind: .editHalfMade(edit, replica, of: device, with: remote), seed: generator.next())
  }

  /// The pattern that a device ignores; nil for none.
  private mutating func ignored() -> String? {
    let patterns = [nil, "a.org", "*.txt", "d/", "f/", "b.org"]
    return patterns[number(in: 0...patterns.count - 1)]
  }

  private mutating func lonelyStep(at replica: ReplicaID) -> Step {
    let seed = generator.next()
    return Step(kind: chance(45) ? .edit(plainEdit(), replica) : pass(interruption: replica), seed: seed)
  }

  /// - Parameter interruption: The only place that is edited during the pass; nil for any place, and for passes of other
  ///   devices.
  private mutating func pass(interruption replica: ReplicaID?) -> Step.Kind {
    var disturbances: [Disturbance] = []
    if chance(30) { disturbances.append(Disturbance(moment: moment(), kind: .crash)) }
    if chance(25) { disturbances.append(Disturbance(moment: moment(), kind: self.interruption(replica))) }
    let faults = chance(35) ? Double.random(in: 0.02...0.4, using: &generator) : 0
    let device = device()
    return .pass(device, with: remote(of: device), disturbances, faults: faults)
  }

  private mutating func interruption(_ replica: ReplicaID?) -> Disturbance.Kind {
    if let replica { return .edit(plainEdit(), replica) }
    guard number(in: 0...3) == 0 else { return .edit(edit(), self.replica()) }
    let other = device()
    return .otherPass(other, with: remote(of: other))
  }

  /// Early moments are as likely as late ones, although most passes are short.
  private mutating func moment() -> Int { number(in: 1...(8 << number(in: 0...4))) }

  private mutating func edit() -> Edit { Edit.allCases[number(in: 0...Edit.allCases.count - 1)] }

  /// An edit after which no two files have the same content, and none has a former one: the files would not show which of them
  /// was renamed or never changed.
  private mutating func plainEdit() -> Edit {
    let plain: [Edit] = [.create, .append, .change, .rewrite, .delete, .rename, .editedRename]
    return plain[number(in: 0...plain.count - 1)]
  }

  /// People usually work on their devices, and sometimes directly in a remote.
  private mutating func replica() -> ReplicaID {
    number(in: 0...7) == 0 ? .remote(number(in: 0...topology.remoteCount - 1)) : .store(device())
  }

  private mutating func device() -> Int { number(in: 0...topology.remotes.count - 1) }

  private mutating func remote(of device: Int) -> Int {
    topology.remotes[device][number(in: 0...topology.remotes[device].count - 1)]
  }

  private mutating func reserves() -> [Step] {
    let crashes = (0..<2).map { _ in
      reserve([Disturbance(moment: 5, kind: .crash)], faults: 0, .whileCrashesLack)
    }
    return crashes + (0..<12).map { _ in reserve([], faults: 0.5, .whileFaultsLack) }
  }

  private mutating func reserve(_ disturbances: [Disturbance], faults: Double, _ condition: Step.Condition) -> Step {
    let device = device()
    return Step(
      kind: .pass(device, with: remote(of: device), disturbances, faults: faults), seed: generator.next(),
      condition: condition)
  }

  private mutating func chance(_ percent: Int) -> Bool { number(in: 0...99) < percent }

  private mutating func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
}

extension Disturbance {
  fileprivate var isCrash: Bool { if case .crash = kind { true } else { false } }
}
