import Foundation
import MeshStore
import ProgramTesting
import SyncKit
import SyncKitTesting

@testable import BackendBitTorrent

/// A device with a store, an archive and a folder of the mesh.
final class MeshDevice: Sendable {
  static let secret = MeshSecret { (0..<$0).map { UInt8($0) } }

  let folder: URL
  let store = MemoryReplica(address: "store", identity: "disk")
  let archive = MemoryArchive()
  let mesh: MeshReplica
  let network: MeshNetwork
  let name: String

  init(
    _ name: String, secret: MeshSecret = MeshDevice.secret, peers: [UInt16] = [], at host: String = "127.0.0.1",
    traffic: TrafficLimit = .none, program: String = TorrentProgram.path ?? "", runtime: Runtime = .real
  ) throws {
    self.name = name
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("mesh-" + UUID().uuidString)
    mesh = MeshReplica(
      MeshFolder(folder.path), secret, SyncKit.Device(id: name, name: name), runtime)
    var options = MeshNetwork.Options()
    options.listen = ["127.0.0.1"]
    options.usesLocalDiscovery = false
    options.peers = peers.map { (host, $0) }
    options.traffic = traffic
    options.program = program
    network = MeshNetwork(mesh, secret, folder: folder.path, options, runtime)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func start() async throws {
    _ = try await mesh.claim()
    try await network.start()
  }

  func pass() async -> PassReport {
    let replica = BitTorrentReplica(mesh: mesh, network: network, wait: .seconds(5))
    return await SyncPass(
      PassParts(
        name: "mesh", local: store, remote: replica, archive: archive, merger: LineMerger(),
        device: SyncKit.Device(id: name, name: name), runtime: .real, options: PassOptions())
    ).run()
  }

  func put(_ text: String, at name: String) async {
    await store.put(Content(Array(text.utf8)), at: SyncPath(trusted: Array(name.utf8)))
  }

  var texts: [String: String] {
    get async {
      var texts: [String: String] = [:]
      for (path, content) in await store.contents {
        texts[path.description] = String(decoding: (try? await content.bytes()) ?? [], as: UTF8.self)
      }
      return texts
    }
  }
}

/// Waits until a condition holds; false after ten minutes or more.
func eventually(_ condition: () async throws -> Bool) async throws -> Bool {
  for _ in 0..<12_000 {
    if try await condition() { return true }
    try await Task.sleep(for: .milliseconds(50))
  }
  return false
}
