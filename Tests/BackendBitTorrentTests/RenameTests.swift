import MeshStore
import ProgramTesting
import ServerTesting
import SyncKit
import SyncKitTesting
import Testing

@testable import BackendBitTorrent

/// A renamed file has a content that the other devices have.
@Suite("Renamed files of a mesh", .serialized, .enabled(if: TorrentProgram.isAvailable))
struct RenameTests {
  /// A device, and a peer of it that has what it has after each pass.
  private struct Pair: MeasuredDevice {
    let one: MeshDevice
    let other: MeshDevice

    func write(_ text: String, to path: String) async throws { await one.put(text, at: path) }
    func remove(_ path: String) async throws { await one.store.take(SyncPath(trusted: Array(path.utf8))) }

    func pass() async throws -> PassReport {
      let report = await one.pass()
      let hasArrived = try await eventually {
        _ = await other.pass()
        return await other.texts == one.texts
      }
      guard hasArrived else { throw TestFailure("the peer has other files: \(report)") }
      return report
    }
  }

  @Test("a renamed folder costs a peer the new names, and no content")
  func cost() async throws {
    let one = try MeshDevice("one")
    try await one.start()
    #expect(try await eventually { await one.network.port > 0 })
    let other = try MeshDevice("other", peers: [await one.network.port])
    try await other.start()
    // A peer fetches each segment once.
    var segments: Set<SegmentName> = []
    let rename = try await FolderRename("bittorrent", in: "segment", by: Pair(one: one, other: other)) {
      segments.formUnion(try await one.mesh.servedSegments())
      return (segments.count, segments.reduce(0) { $0 + Int($1.length) })
    }
    #expect(rename.moved.bytes < FolderRename.contentSize / 2, "\(rename)")
    #expect(rename.replaced.bytes > FolderRename.contentSize / 2, "\(rename)")
    for device in [one, other] { await device.network.stop() }
  }
}
