import ProgramTesting
public import SyncKit
public import SyncKitTesting
import Synchronization

/// A device with a store and an archive in memory, and a remote with a given storage.
public struct TestDevice: Sendable {
  public let name: String
  public let store: MemoryReplica
  public let archive: MemoryArchive
  public let storage: any Storage

  public init(_ name: String, storage: (MemoryArchive) throws -> any Storage) rethrows {
    let archive = MemoryArchive()
    self.init(name, archive: archive, storage: try storage(archive))
  }

  public init(_ name: String, store: MemoryReplica? = nil, archive: MemoryArchive, storage: any Storage) {
    self.name = name
    self.store = store ?? MemoryReplica(address: "store of \(name)", identity: "disk of \(name)")
    self.archive = archive
    self.storage = storage
  }

  /// The same device with another connection to its remote.
  public func with(_ storage: any Storage) -> TestDevice {
    TestDevice(name, store: store, archive: archive, storage: storage)
  }

  /// Runs like `syncd --once`.
  public func sync() async -> PassReport {
    let device = Device(id: name, name: name)
    let parts = RemoteParts(
      name: "test", storage: storage, device: device, runtime: .real, contents: archive,
      journal: archive.journal(of: "test"))
    let pass = PassParts(
      name: "test", local: store, remote: StorageReplica(storage, parts), archive: archive, merger: LineMerger(),
      device: device)
    return await SyncRun([pass]).run()[0]
  }

  public func write(_ text: String, to path: String) async throws {
    await store.put(Content(Array(text.utf8)), at: try self.path(path))
  }

  public func remove(_ path: String) async throws { await store.take(try self.path(path)) }

  /// The texts of all files, by name.
  public func texts() async throws -> [String: String] {
    var texts: [String: String] = [:]
    for (path, content) in await store.contents {
      texts[path.description] = String(decoding: try await content.bytes(), as: UTF8.self)
    }
    return texts
  }
}

extension TestDevice {
  fileprivate func path(_ text: String) throws -> SyncPath {
    guard let path = SyncPath(text) else { throw TestFailure("\(text) is not a path") }
    return path
  }
}

/// A journal in memory.
public final class TestJournal: Journal {
  private let held = Mutex<[String: [UInt8]]>([:])

  public init() {}

  public func records() -> [String: [UInt8]] { held.withLock { $0 } }

  public func write(_ records: [String: [UInt8]?]) {
    held.withLock { held in for (key, value) in records { held[key] = value } }
  }
}
