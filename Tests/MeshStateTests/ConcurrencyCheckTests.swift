import MeshState
import SyncKit
import SyncKitTesting
import Testing

@Suite("Conformance checks for concurrent versions")
struct ConcurrencyCheckTests {
  /// Two devices of a mesh in memory.
  /// - Parameter meetings: The number of meetings that happen.
  private static func devices(meetings: Int = .max) -> ConcurrencyCheck.Devices {
    let (one, other) = (MemoryMesh(writer: 1) { 0 }, MemoryMesh(writer: 2) { 0 })
    let count = Count()
    return ConcurrencyCheck.Devices(one: one, other: other) {
      guard await count.next() <= meetings else { return }
      _ = await one.join(await other.head, atMost: .max, renewedAs: 3)
      _ = await other.join(await one.head, atMost: .max, renewedAs: 4)
    }
  }

  @Test("a mesh in memory passes", arguments: ConcurrencyCheck.all)
  func memory(check: ConcurrencyCheck) async throws { try await check.run { Self.devices() } }

  @Test("each check fails on devices that miss a meeting", arguments: ConcurrencyCheck.all)
  func canFail(check: ConcurrencyCheck) async {
    var failures = 0
    for meetings in 0...1 {
      do { try await check.run { Self.devices(meetings: meetings) } } catch { failures += 1 }
    }
    #expect(failures > 0)
  }

  private actor Count {
    private var number = 0

    func next() -> Int {
      number += 1
      return number
    }
  }
}

@Suite("Conformance checks on a mesh in memory")
struct MemoryMeshTests {
  private struct Handle: ReplicaAround {
    let replica: any Replica
  }

  @Test("one device of a mesh passes the checks for replicas", arguments: ReplicaCheck.all)
  func replica(check: ReplicaCheck) async throws {
    try await check.run(on: {
      let mesh = MemoryMesh(writer: 1) { 0 }
      return (Handle(replica: mesh), Handle(replica: mesh))
    })
  }
}
