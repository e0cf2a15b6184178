import SyncKit

/// Adds contents to an archive: hashes each one, and keeps it if it is not larger than the limit.
struct ArchiveSink: ContentSink {
  let contents: HeldContents
  let limit: Int
  /// The path of the contents, if all are versions of one file.
  var path: SyncPath?

  func of(_ path: SyncPath) -> any ContentSink { ArchiveSink(contents: contents, limit: limit, path: path) }

  func receive(
    size: Int, _ body: (any ContentIntake) async throws(SyncError) -> Void
  ) async throws(SyncError) -> (digest: Digest, size: Int) {
    let intake = ArchiveIntake(files: contents.files, limit: limit)
    let (digest, size, kept): (Digest, Int, ArchiveIntake.Kept)
    do throws(SyncError) {
      try await body(intake)
      (digest, size, kept) = try await intake.finish()
    } catch {
      await intake.discard()
      throw error
    }
    switch kept {
    case .bytes(let bytes): try await contents.add(bytes, digest, at: path)
    case .file(let file): try await contents.add(file, size: size, digest)
    case .nothing: break
    }
    return (digest, size)
  }

  func receive(_ bytes: [UInt8]) async throws(SyncError) -> Digest {
    guard bytes.count <= HeldContents.largestInMemory else {
      return try await receive(size: bytes.count) { intake throws(SyncError) in try await intake.write(bytes) }.digest
    }
    let digest = Digest(of: bytes)
    if bytes.count <= limit { try await contents.add(bytes, digest, at: path) }
    return digest
  }
}

/// One content that is being added to an archive: in memory while it is small, in a file when it is larger, and only hashed
/// beyond the limit.
private actor ArchiveIntake: ContentIntake {
  private let files: ContentFiles
  private let limit: Int
  private var hasher = DigestHasher()
  private var size = 0
  /// The bytes so far while they are in memory; empty once they are in the file.
  private var bytes: [UInt8] = []
  private var file: StateFile?
  private let frame = FrameWriter()

  init(files: ContentFiles, limit: Int) {
    self.files = files
    self.limit = limit
  }

  func write(_ chunk: [UInt8]) throws(SyncError) {
    hasher.update(chunk)
    size += chunk.count
    guard size <= limit else { return discard() }
    if let file { return try file.write(frame.update(chunk)) }
    bytes += chunk
    if size > HeldContents.largestInMemory { try spill() }
  }

  enum Kept {
    case bytes([UInt8])
    case file(StateFile)
    case nothing
  }

  /// Returns the digest and size of everything written, and the part that is kept.
  func finish() throws(SyncError) -> (Digest, Int, Kept) {
    if let file { try file.write(frame.update([], isLast: true)) }
    let kept: Kept = size > limit ? .nothing : file.map(Kept.file) ?? .bytes(bytes)
    return (hasher.finish(), size, kept)
  }

  /// Discards what was kept so far.
  func discard() {
    if let file { files.discard(file) }
    file = nil
    bytes = []
  }

  private func spill() throws(SyncError) {
    let file = try files.create()
    self.file = file
    try file.write(frame.update(bytes))
    bytes = []
  }
}
