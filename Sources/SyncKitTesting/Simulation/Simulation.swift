public import SyncKit

/// A history of two or three devices and one or two remotes with many edits, crashes and errors, determined by a seed.
///
/// At its end the devices sync undisturbed until all is quiet; then all stores and remotes must be equal, and nothing that a
/// person wrote may be lost. If only one place was edited since all was quiet, all must be exactly equal to that one. The same
/// seed gives the same history, effect for effect.
public struct Simulation: Sendable {
  /// Runs a pass.
  public typealias Engine = @Sendable (PassParts) async -> PassReport

  /// The statistics of a history.
  public struct Summary: Hashable, Sendable {
    /// The number of steps.
    public var steps = 0
    /// The number of passes.
    public var passes = 0
    /// The number of crashes.
    public var crashes = 0
    /// The number of injected faults.
    public var faults = 0
    /// The number of commands that changed a store.
    public var commands = 0
    /// A hash of every effect in order, if requested.
    public var trace: UInt64?
  }

  private static let wantedCrashes = 2
  private static let wantedFaults = 5

  private let seed: UInt64
  private let hasCommands: Bool
  private let history: History
  private let chosen: [Int]?
  private let isTraced: Bool
  private let engine: Engine

  /// The history of a seed.
  /// - Parameters:
  ///   - steps: The indices of the steps to run; nil for all that make the history rough enough.
  ///   - hasCommands: True if people restore, undo, capture and resolve, too. The other steps of a seed do not depend on it.
  ///   - isTraced: True if the summary gets a hash of every effect, which is slow.
  ///   - engine: Runs a pass.
  public init(
    seed: UInt64, steps: [Int]? = nil, hasCommands: Bool = true, isTraced: Bool = false,
    engine: @escaping Engine = { await SyncPass($0).run() }
  ) {
    self.seed = seed
    self.hasCommands = hasCommands
    self.history = History(seed: seed, hasCommands: hasCommands)
    self.chosen = steps
    self.isTraced = isTraced
    self.engine = engine
  }

  /// Runs the history. If it breaks a promise, throws with the fewest steps that break it.
  @discardableResult
  public func run() throws(SimulationFailure) -> Summary {
    let attempt = attempt(chosen)
    guard let cause = attempt.cause else { return attempt.summary }
    let steps = shrunk(attempt.steps)
    throw SimulationFailure(
      self.attempt(steps).cause ?? cause, seed: seed, hasCommands: hasCommands, steps: steps, of: history.steps)
  }

  private struct Attempt: Sendable {
    var steps: [Int] = []
    var cause: SimulationFailure.Cause?
    var summary = Summary()
  }

  /// Removes irrelevant steps: drops shorter and shorter ranges of steps as long as the history fails without them. A step that
  /// syncs everything is kept, because later steps depend on it.
  private func shrunk(_ steps: [Int]) -> [Int] {
    var steps = steps
    var length = max(1, steps.count / 2)
    while length > 0 {
      var start = 0
      while start < steps.count {
        let end = min(start + length, steps.count)
        let fewer = steps[..<start] + steps[start..<end].filter { history.steps[$0].isSpread } + steps[end...]
        if fewer.count == steps.count || attempt(Array(fewer)).cause == nil {
          start += length
        } else {
          steps = Array(fewer)
        }
      }
      length /= 2
    }
    return steps
  }

  private func attempt(_ steps: [Int]?) -> Attempt {
    SteppedExecutor().run { await live(steps) }
  }

  private func live(_ steps: [Int]?) async -> Attempt {
    let network = SimulatedNetwork(
      seed: seed, topology: history.topology, spared: history.spared, engine: engine, trace: isTraced ? Trace() : nil)
    let oracle = SimulationOracle(network: network)
    var attempt = Attempt()
    do throws(SimulationFailure.Cause) {
      for index in steps ?? Array(history.steps.indices) {
        let step = history.steps[index]
        if steps == nil, await !isWanted(step, in: network) { continue }
        attempt.steps.append(index)
        await network.perform(step)
        switch step.kind {
        case .spread(let replica): try await oracle.spread(from: replica)
        case .resolve(let device, let other, let steps):
          try await oracle.resolve(on: device, beside: other, then: steps, seed: step.seed)
        default: break
        }
        try await oracle.checkNothingIsLost()
      }
      try await oracle.syncUntilQuiet()
      try await oracle.checkNothingIsLost()
      try await oracle.checkAgreement()
    } catch {
      attempt.cause = error
    }
    attempt.summary = await summary(of: network, steps: attempt.steps.count)
    return attempt
  }

  private func isWanted(_ step: Step, in network: SimulatedNetwork) async -> Bool {
    switch step.condition {
    case .always: true
    case .whileCrashesLack: await network.crashes.count < Self.wantedCrashes
    case .whileFaultsLack: await network.faults.count < Self.wantedFaults
    }
  }

  private func summary(of network: SimulatedNetwork, steps: Int) async -> Summary {
    Summary(
      steps: steps, passes: await network.passes.count, crashes: await network.crashes.count,
      faults: await network.faults.count, commands: await network.ledger.commands, trace: network.trace?.hash)
  }
}
