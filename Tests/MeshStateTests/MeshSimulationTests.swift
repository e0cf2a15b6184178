import Foundation
import ProgramTesting
import Testing

@Suite("Simulated histories of a mesh")
struct MeshSimulationTests {
  /// The number of histories, in parts that run concurrently, and the first seed.
  private static let histories = number("SYNCD_MESH_HISTORIES") ?? (isSoak ? 50_000 : 5_000)
  private static let first = number("SYNCD_FIRST_MESH_HISTORY") ?? 0
  private static let parts: UInt64 = 20

  private static func number(_ variable: String) -> UInt64? {
    ProcessInfo.processInfo.environment[variable].flatMap { UInt64($0) }
  }

  @Test("no history loses anything or brings anything back, and all end with equal devices", arguments: 0..<parts)
  func histories(part: UInt64) throws {
    let size = Self.histories / Self.parts
    let start = Self.first + part * size
    var sum = MeshSimulation.Summary()
    for seed in start..<start + size { sum.add(try MeshSimulation(seed: seed).run()) }
    // Many histories are as hard as they are meant to be.
    guard size >= 50 else { return }
    #expect(sum.crashes >= Int(size) && sum.merges >= Int(size) && sum.finalRemovals >= Int(size), "\(sum)")
    #expect(sum.restores > 0 && sum.oldHeads > 0, "\(sum)")
  }

  /// All devices united two contents at the same moment, again and again, and one of them lacked what the others went by.
  @Test("histories that once never became quiet end", arguments: [30_011_763, 30_012_852, 30_039_004] as [UInt64])
  func former(seed: UInt64) throws { _ = try MeshSimulation(seed: seed).run() }

  @Test("a seed always gives the same history", arguments: 0..<20 as Range<UInt64>)
  func repeatability(seed: UInt64) throws {
    #expect(try MeshSimulation(seed: seed).run() == MeshSimulation(seed: seed).run())
  }

  @Test("the histories break a design with a base for each pair of devices")
  func control() {
    let alone = (0..<200 as Range<UInt64>).filter { MeshHistory(seed: $0).kind == .alone }
    let broken = alone.filter { !PairwiseNetwork.keepsPromises(MeshHistory(seed: $0), seed: $0) }
    #expect(alone.count > 20 && broken.count > alone.count / 4, "\(broken.count) of \(alone.count)")
    print("The control broke \(broken.count) of \(alone.count) histories.")
  }
}
