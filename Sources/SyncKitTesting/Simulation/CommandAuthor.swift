import SyncKit

/// Replaces some edits of a history by commands, and adds captures beside passes. Its random numbers are its own, so that the other
/// steps of a seed are the same without commands.
struct CommandAuthor {
  private let topology: Topology
  private var generator: SplitMix64

  init(topology: Topology, seed: UInt64) {
    self.topology = topology
    generator = SplitMix64(state: seed ^ 0x636F_6D6D_616E_6473)
  }

  /// Returns the steps of a history with commands. In half of the histories with one remote, conflicts are resolved once.
  mutating func adding(to steps: [Step], isLonely: Bool) -> [Step] {
    var steps = steps.map { adding(to: $0) }
    if !isLonely, topology.remoteCount == 1, chance(50) {
      steps.insert(resolution(), at: number(in: steps.count / 2...steps.count - 1))
    }
    return steps
  }

  private mutating func resolution() -> Step {
    let steps = (0..<number(in: 2...5)).map { _ in
      var disturbances: [Disturbance] = []
      if chance(40) { disturbances.append(Disturbance(moment: number(in: 1...60), kind: .crash)) }
      let faults = chance(30) ? Double.random(in: 0.02...0.4, using: &generator) : 0
      return Step(kind: .pass(device(), with: 0, disturbances, faults: faults), seed: generator.next())
    }
    let first = device()
    let other = (first + 1) % topology.remotes.count
    return Step(kind: .resolve(first, beside: other, then: steps), seed: generator.next())
  }

  /// Returns a step with commands.
  private mutating func adding(to step: Step) -> Step {
    switch step.kind {
    case .edit(_, .store(let device)) where chance(25): replacing(step, by: command(at: device))
    case .pass(let device, let remote, let disturbances, let faults) where chance(25):
      replacing(step, by: .pass(device, with: remote, disturbances + [capture()], faults: faults))
    default: step
    }
  }

  private func replacing(_ step: Step, by kind: Step.Kind) -> Step {
    Step(kind: kind, seed: step.seed, condition: step.condition)
  }

  /// A file is restored, or a pass undone, where the person works; a line is captured anywhere.
  private mutating func command(at device: Int) -> Step.Kind {
    let commands: [Command] = [.restore, .undo, .capture]
    let command = commands[number(in: 0...2)]
    let moment = chance(20) ? number(in: 1...16) : nil
    return .command(command, command == .capture ? self.device() : device, killedAt: moment)
  }

  private mutating func capture() -> Disturbance {
    Disturbance(moment: number(in: 1...(8 << number(in: 0...4))), kind: .capture(device(), later: number(in: 1...40)))
  }

  private mutating func device() -> Int { number(in: 0...topology.remotes.count - 1) }

  private mutating func chance(_ percent: Int) -> Bool { number(in: 0...99) < percent }

  private mutating func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
}
