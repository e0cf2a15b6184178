import Foundation
import SyncKitTesting
import Testing

@Suite("Simulated histories")
struct SimulationTests {
  /// The number of histories, in parts that run concurrently, and the first seed.
  private static let histories = number("SYNCD_HISTORIES") ?? 5000
  private static let first = number("SYNCD_FIRST_HISTORY") ?? 0
  private static let parts: UInt64 = 20

  private static func number(_ variable: String) -> UInt64? {
    ProcessInfo.processInfo.environment[variable].flatMap { UInt64($0) }
  }

  @Test("no history loses anything, and all end with equal replicas", arguments: 0..<parts)
  func histories(part: UInt64) throws {
    let size = Self.histories / Self.parts
    let start = Self.first + part * size
    var commands = 0
    for seed in start..<start + size {
      // Commands make a history longer; a quarter has them, and all of those that `make soak` adds.
      let hasCommands = seed.isMultiple(of: 4)
      let summary = try Simulation(seed: seed, hasCommands: hasCommands).run()
      #expect(
        summary.steps >= 30 && summary.crashes >= 2 && summary.faults >= 5, "seed \(seed) is too tame: \(summary)")
      commands += summary.commands
    }
    #expect(commands >= Int(size) / 4, "people ran too few commands")
  }

  @Test(
    "histories that once lost a line lose nothing",
    arguments: [4_032_731, 4_043_672, 4_049_720, 100_005_835, 100_030_156, 300_051_110] as [UInt64])
  func former(seed: UInt64) throws { try Simulation(seed: seed, hasCommands: false).run() }

  @Test(
    "a change that was forgotten when its path was hidden does not return",
    arguments: [8_012_530, 8_014_682] as [UInt64])
  func forgotten(seed: UInt64) throws { try Simulation(seed: seed, hasCommands: false).run() }

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
        try Simulation(seed: seed, hasCommands: bug.needsCommands, engine: bug.run).run()
        return false
      } catch {
        return true
      }
    }
    #expect(isNoticed)
  }
}
