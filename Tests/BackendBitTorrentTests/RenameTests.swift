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
    let proxy = try await FaultyProxy(to: "tcp://127.0.0.1:\(await one.network.port)")
    let other = try MeshDevice("other", peers: [UInt16(proxy.port)])
    try await other.start()
    var segments: Set<SegmentName> = []
    let rename = try await FolderRename("bittorrent", in: "segment", by: Pair(one: one, other: other)) {
      segments.formUnion(try await one.mesh.servedSegments())
      return (segments.count, try await Self.quietBytes(proxy))
    }
    #expect(rename.moved.bytes < FolderRename.contentSize / 2, "\(rename)")
    #expect(rename.replaced.bytes > FolderRename.contentSize, "\(rename)")
    for device in [one, other] { await device.network.stop() }
  }

  /// The bytes in both directions, once there are no more.
  private static func quietBytes(_ proxy: FaultyProxy) async throws -> Int {
    var (before, bytes) = (-1, 0)
    _ = try await eventually {
      let counts = try proxy.counts()
      (before, bytes) = (bytes, counts.sent + counts.received)
      return before == bytes
    }
    return bytes
  }
}
