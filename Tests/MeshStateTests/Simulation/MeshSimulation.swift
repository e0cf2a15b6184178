import SyncKit

@testable import SyncKitTesting

/// A history of a mesh, determined by a seed. At its end all devices meet and sync until nothing changes; then all are equal,
/// nothing that a person wrote is lost, and nothing that a person removed is back without a concurrent change.
struct MeshSimulation: Sendable {
  /// The statistics of a history.
  struct Summary: Hashable, Sendable {
    var passes = 0
    var crashes = 0
    var restores = 0
    var oldHeads = 0
    var merges = 0
    /// The number of times that versions got new names.
    var renamings = 0
    /// The number of removals of which nothing may be back.
    var finalRemovals = 0
    /// The number of rounds until nothing changed.
    var rounds = 0

    /// Adds the counts of another history, and keeps the larger number of rounds.
    mutating func add(_ other: Summary) {
      passes += other.passes
      crashes += other.crashes
      restores += other.restores
      oldHeads += other.oldHeads
      merges += other.merges
      renamings += other.renamings
      finalRemovals += other.finalRemovals
      rounds = max(rounds, other.rounds)
    }
  }

  let seed: UInt64
  private let history: MeshHistory
  private let engine: Simulation.Engine

  init(seed: UInt64, engine: @escaping Simulation.Engine = { await SyncPass($0).run() }) {
    self.seed = seed
    self.engine = engine
    history = MeshHistory(seed: seed)
  }

  /// Runs the history. If it breaks a promise, throws with the fewest steps that break it.
  @discardableResult
  func run() throws(MeshFailure) -> Summary {
    let (cause, summary) = attempt(Array(history.steps.indices))
    guard let cause else { return summary }
    let steps = shrunk(Array(history.steps.indices))
    throw MeshFailure(
      cause: attempt(steps).cause ?? cause, seed: seed, steps: steps.map { "\($0): \(history.steps[$0])" })
  }

  private func attempt(_ steps: [Int]) -> (cause: SimulationFailure.Cause?, summary: Summary) {
    SteppedExecutor().run { await live(steps) }
  }

  private func live(_ steps: [Int]) async -> (cause: SimulationFailure.Cause?, summary: Summary) {
    let network = MeshNetwork(history, seed: seed, engine: engine)
    let oracle = MeshOracle(network: network, seed: seed)
    do throws(SimulationFailure.Cause) {
      for index in steps { try await network.perform(history.steps[index]) }
      let rounds = try await oracle.syncUntilQuiet()
      try await oracle.checkAgreement()
      try await oracle.checkLines()
      var summary = await network.summary
      summary.rounds = rounds
      summary.finalRemovals = await network.happenings.finalRemovals().count
      return (nil, summary)
    } catch { return (error, await network.summary) }
  }

  private func shrunk(_ steps: [Int]) -> [Int] {
    var steps = steps
    var length = max(1, steps.count / 2)
    while length > 0 {
      var start = 0
      while start < steps.count {
        let fewer = Array(steps[..<start] + steps[min(start + length, steps.count)...])
        if attempt(fewer).cause == nil { start += length } else { steps = fewer }
      }
      length /= 2
    }
    return steps
  }
}

/// A history in which a promise was broken.
struct MeshFailure: Error, CustomStringConvertible {
  let cause: SimulationFailure.Cause
  let seed: UInt64
  let steps: [String]

  var description: String { "seed \(seed): \(cause.sentence)\n" + steps.map { "  \($0)" }.joined(separator: "\n") }
}
