import SyncKit

/// An archive as seen by one process, which may be killed between any two effects.
struct MortalArchive: Archive {
  let archive: MemoryArchive
  let life: Life

  func memory(of remote: String) async throws(SyncError) -> RemoteMemory {
    try await life.perform("remember") { () throws(SyncError) in await archive.memory(of: remote) }
  }

  func generation(of remote: String) async throws(SyncError) -> Int {
    try await life.perform("generation") { () throws(SyncError) in await archive.generation(of: remote) }
  }

  func journal(of remote: String) -> any Journal { MortalJournal(journal: archive.journal(of: remote), life: life) }

  func passNumber() async throws(SyncError) -> Int {
    try await life.perform("pass number") { () throws(SyncError) in await archive.passNumber() }
  }

  func keep(_ versions: [Version]) async throws(SyncError) {
    try await life.perform("keep") { () throws(SyncError) in try await archive.keep(versions) }
  }

  func prepare(_ batch: IntendedBatch) async throws(SyncError) {
    try await life.perform("prepare") { () throws(SyncError) in try await archive.prepare(batch) }
  }

  func update(_ batch: IntendedBatch) async throws(SyncError) {
    try await life.perform("update") { () throws(SyncError) in try await archive.update(batch) }
  }

  func record(_ record: Record) async throws(SyncError) {
    try await life.perform("record") { () throws(SyncError) in try await archive.record(record) }
  }

  func held(_ digests: Set<Digest>) async throws(SyncError) -> Set<Digest> {
    try await life.perform("held") { () throws(SyncError) in try await archive.held(digests) }
  }

  func intendedPaths() async throws(SyncError) -> Set<SyncPath> {
    try await life.perform("intended") { () throws(SyncError) in await archive.intendedPaths() }
  }

  func agreedElsewhere(
    _ contents: [SyncPath: Digest], than remote: String
  ) async throws(SyncError) -> Set<SyncPath> {
    try await life.perform("agreed elsewhere") { () throws(SyncError) in
      await archive.agreedElsewhere(contents, than: remote)
    }
  }

  func agreedLater(_ contents: [SyncPath: Digest], than remote: String) async throws(SyncError) -> Set<SyncPath> {
    try await life.perform("agreed later") { () throws(SyncError) in
      await archive.agreedLater(contents, than: remote)
    }
  }

  func wasDisplaced(_ digest: Digest, at path: SyncPath) async throws(SyncError) -> Bool {
    try await life.perform("displaced") { () throws(SyncError) in await archive.wasDisplaced(digest, at: path) }
  }

  func content(_ digest: Digest) async throws(SyncError) -> Content? {
    try await life.perform("content") { () throws(SyncError) in try await archive.content(digest) }
  }

  func intake(keepingAtMost limit: Int) -> any ContentSink { archive.intake(keepingAtMost: limit) }

  func flush() async throws(SyncError) {
    try await life.perform("flush") { () throws(SyncError) in try await archive.flush() }
  }
}

private struct MortalJournal: Journal {
  let journal: any Journal
  let life: Life

  func records() async throws(SyncError) -> [String: [UInt8]] {
    try await life.perform("read journal") { () throws(SyncError) in try await journal.records() }
  }

  func write(_ records: [String: [UInt8]?]) async throws(SyncError) {
    try await life.perform("write journal") { () throws(SyncError) in try await journal.write(records) }
  }
}
