import SealedStorage
import SyncKit
import SyncKitTesting
import Testing

@testable import CipherAge

/// Two devices and a storage in memory that they encrypt.
struct EncryptedSetup {
  static let identity = AgeCipher.newIdentity()
  let remote = MemoryStorage()
  let cipher: any Cipher
  let first: TestDevice
  let second: TestDevice

  init(hidesNames: Bool = false) async throws { self.init(Self.cipher(hidesNames: hidesNames)) }

  init(_ cipher: any Cipher) {
    self.cipher = cipher
    first = TestDevice("first", storage: remote, cipher)
    second = TestDevice("second", storage: remote, cipher)
  }

  static func cipher(hidesNames: Bool = false) -> AgeCipher {
    var cipher = AgeCipher.forTests(identity)
    cipher.hidesNames = hidesNames
    return cipher
  }

  func device(_ name: String, cipher: (any Cipher)? = nil) -> TestDevice {
    TestDevice(name, storage: remote, cipher ?? self.cipher)
  }

  /// Writes these files on both devices, and syncs them.
  func settle(_ files: [String: String]) async throws {
    for (path, text) in files { try await first.write(text, to: path) }
    for device in [first, second, first] { #expect(await device.sync().result == .synced) }
  }

  func entry(_ path: SyncPath) async throws -> Entry {
    guard case .present(let entry) = try await first.storage.confirm(file: path) else { throw CancellationError() }
    return entry
  }

  /// The path of a file in the storage.
  func place(_ path: SyncPath) async throws -> SyncPath {
    let revision = try await entry(path).revision
    return try #require(try await remote.list(since: Known()).entries.first { $0.revision == revision }?.path)
  }
}

/// A device with a store and an archive in memory.
struct TestDevice {
  let name: String
  let store: MemoryReplica
  let archive = MemoryArchive()
  let storage: any Storage
  /// The remote without encryption around it.
  private let bare: any Storage

  init(_ name: String, storage: MemoryStorage, _ cipher: (any Cipher)? = nil) {
    self.name = name
    store = MemoryReplica(address: "store of \(name)", identity: "disk of \(name)")
    bare = storage
    let parts = Self.parts(name, archive, storage)
    self.storage = cipher.map { storage.encrypted(with: $0, parts) } ?? storage
  }

  private static func parts(_ name: String, _ archive: MemoryArchive, _ storage: any Storage) -> RemoteParts {
    RemoteParts(
      name: "test", storage: storage, device: Device(id: name, name: name), runtime: .real, contents: archive,
      journal: archive.journal(of: "test"))
  }

  /// The parts for a job that re-encrypts the remote.
  var parts: RemoteParts { Self.parts(name, archive, bare) }

  var journal: any Journal { archive.journal(of: "test") }

  /// A job like that of `syncd rekey`.
  func rekeying(
    _ storage: (any Storage)? = nil, from old: (any Cipher)?, to new: (any Cipher)?, acceptsUnproven: Bool = false,
    journal: (any Journal)? = nil
  ) -> Rekeying {
    var parts = parts
    parts.journal = journal ?? parts.journal
    let (store, archive) = (store, archive)
    return Rekeying(
      storage ?? bare, parts, from: old, to: new, acceptsUnproven: acceptsUnproven,
      memory: Rekeying.Memory(
        agreed: { path throws(SyncError) in
          guard let agreed = await archive.memory(of: "test").base[path]?.digest else { return nil }
          return try await archive.content(agreed)
        },
        holds: { path, digest throws(SyncError) in await store.contents[path]?.digest == digest },
        keep: { _, _ in }))
  }

  func sync() async -> PassReport {
    let parts = Self.parts(name, archive, storage)
    let pass = PassParts(
      name: "test", local: store, remote: StorageReplica(storage, parts), archive: archive, merger: LineMerger(),
      device: parts.device)
    return await SyncRun([pass]).run()[0]
  }

  func write(_ text: String, to path: String) async throws {
    await store.put(Content(Array(text.utf8)), at: try #require(SyncPath(path)))
  }

  func texts() async throws -> [String: String] {
    var texts: [String: String] = [:]
    for (path, content) in await store.contents {
      texts[path.description] = String(decoding: try await content.bytes(), as: UTF8.self)
    }
    return texts
  }
}

extension MemoryStorage {
  nonisolated func sealed(hidesNames: Bool) -> any Storage {
    encrypted(with: EncryptedSetup.cipher(hidesNames: hidesNames), .inMemory())
  }
}

extension AgeCipher {
  static func newIdentity() -> Identity {
    guard let identity = Identity(bytes: Runtime.real.random(32)) else { preconditionFailure("any 32 bytes are a key") }
    return identity
  }

  /// A cipher with one pair of keys.
  static func forTests(_ identity: Identity = newIdentity()) -> AgeCipher {
    AgeCipher(keys: .pairs(identities: [identity], recipients: [identity.recipient]), random: Runtime.real.random)
  }
}
