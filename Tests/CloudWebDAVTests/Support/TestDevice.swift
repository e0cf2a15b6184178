import SyncKit
import SyncKitTesting

@testable import CloudWebDAV

/// A device with a store and an archive in memory, and a remote that is a folder on a real server.
struct TestDevice: Sendable {
  let name: String
  let store: MemoryReplica
  let archive = MemoryArchive()
  let storage: any Storage

  init(_ name: String, storage: (MemoryArchive) throws -> any Storage) rethrows {
    self.name = name
    store = MemoryReplica(address: "store of \(name)", identity: "disk of \(name)")
    self.storage = try storage(archive)
  }

  /// A run as `syncd --once` does it.
  func sync() async -> PassReport {
    let device = Device(id: name, name: name)
    let parts = RemoteParts(
      name: "test", storage: storage, device: device, world: .real, contents: archive,
      journal: archive.journal(of: "test"))
    let pass = PassParts(
      name: "test", local: store, remote: StorageReplica(storage, parts), archive: archive, merger: LineMerger(),
      device: device)
    return await SyncRun([pass]).run()[0]
  }

  func write(_ text: String, to path: String) async throws {
    await store.put(Content(Array(text.utf8)), at: try SyncPath(path).orThrow("no path: \(path)"))
  }

  /// The texts of all files, by name.
  func texts() async throws -> [String: String] {
    var texts: [String: String] = [:]
    for (path, content) in await store.contents {
      texts[path.description] = String(decoding: try await content.bytes(), as: UTF8.self)
    }
    return texts
  }
}

extension TestServer {
  /// A device whose remote is the folder at `url`.
  func device(_ name: String, at url: String) throws -> TestDevice {
    try TestDevice(name) { archive in
      try storage(at: url, journal: archive.journal(of: "test"), contents: archive.library, device: name)
    }
  }
}
