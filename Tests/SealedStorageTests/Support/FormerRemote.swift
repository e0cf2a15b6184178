import SyncKit
import SyncKitTesting

@testable import CipherAge
@testable import SealedStorage
@testable import SyncKit

/// A remote of the former format, whose labels do not cover the content.
struct FormerRemote {
  let key: RemoteKey
  let cipher: AgeCipher
  let remote: MemoryStorage

  init(in remote: MemoryStorage, _ cipher: AgeCipher, files: [String: String]) async throws {
    self.remote = remote
    self.cipher = cipher
    key = RemoteKey(bytes: Runtime.real.random(32), hidesNames: cipher.hidesNames, format: .unprovenContent)
    try await writeMarker()
    for (index, (name, text)) in files.sorted(by: { $0.key < $1.key }).enumerated() {
      try await write(Array(text.utf8), to: name, number: UInt64(index + 1))
    }
  }

  /// Writes the marker with the former key.
  func writeMarker() async throws {
    let sealed = try await cipher.encrypt(key.text(note: cipher.note(for: key.bytes)), as: RootMarker.path)
    let seal = SealedMarker.Seal(cipher: cipher.id, key: sealed)
    await remote.put(
      Content(SealedMarker(rest: RootMarker(id: "former").bytes, seal: seal, clock: nil).bytes), at: RootMarker.path)
  }

  func write(_ content: [UInt8], to name: String, number: UInt64) async throws {
    guard let path = SyncPath(name) else { throw CancellationError() }
    var label = number.bigEndianBytes + Digest(of: path.bytes).bytes
    if cipher.hidesNames {
      label += path.bytes + [UInt8](repeating: 0, count: (64 - path.bytes.count % 64) % 64)
    }
    let box = try SmallBox.seal(label, key.derived(for: "label"))
    let forger = AgeForger(recipient: EncryptedSetup.identity.recipient)
    await remote.put(Content(try forger.forged(content, withKnownLabel: box)), at: try SealedNames(key).sealed(path))
  }
}

/// A journal of a process that is killed before or after one of its writes.
actor MortalJournal: Journal {
  private let journal: any Journal
  private let fatal: Int
  private let isWritten: Bool
  private var writes = 0

  init(_ journal: any Journal, killedAt fatal: Int, after isWritten: Bool) {
    (self.journal, self.fatal, self.isWritten) = (journal, fatal, isWritten)
  }

  func records() async throws(SyncError) -> [String: [UInt8]] { try await journal.records() }

  func write(_ records: [String: [UInt8]?]) async throws(SyncError) {
    writes += 1
    if writes == fatal {
      if isWritten { try await journal.write(records) }
      throw SyncError(.cancelled, "killed")
    }
    try await journal.write(records)
  }
}
