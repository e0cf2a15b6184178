import SyncKitTesting
import Testing

@Suite("Simulated histories")
struct SimulationTests {
  /// The number of histories in a normal test run, in parts that run concurrently.
  private static let histories: UInt64 = 5000
  private static let parts: UInt64 = 20

  @Test("no history loses anything, and all end with equal replicas", arguments: 0..<parts)
  func histories(part: UInt64) throws {
    let size = Self.histories / Self.parts
    for seed in part * size..<(part + 1) * size {
      let summary = try Simulation(seed: seed).run()
      #expect(
        summary.steps >= 30 && summary.crashes >= 2 && summary.faults >= 5, "seed \(seed) is too tame: \(summary)")
    }
  }

  @Test("a seed always gives the same history", arguments: 0..<50 as Range<UInt64>)
  func repeatability(seed: UInt64) throws {
    let simulation = Simulation(seed: seed, isTraced: true)
    let (one, other) = (try simulation.run(), try simulation.run())
    #expect(one == other && one.trace != nil)
  }

  @Test("a mistake of the engine is detected", arguments: PlantedBug.all)
  func plantedBugs(bug: PlantedBug) {
    let isNoticed = (0..<Self.histories).contains { seed in
      do {
        try Simulation(seed: seed, engine: bug.run).run()
        return false
      } catch {
        return true
      }
    }
    #expect(isNoticed)
  }
}
