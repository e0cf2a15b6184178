internal import CPOSIX
internal import SyncKit

/// One read of one file, which verifies that the file was not written to meanwhile, as far as its facts show.
struct FileReading: ~Copyable {
  private let path: SyncPath
  private let file: Descriptor
  /// The facts before the read; the read fails if those after it differ.
  let facts: FileFacts

  /// The size of a read, and the largest size of a file that is read in one call.
  static let chunk = 1 << 20

  /// Opens the file called `name`, at the location or beside it; throws `.notFound` if it does not exist, `.pathFailed` if it
  /// is not a regular file, `.unavailable` if its content is only in a cloud.
  init(of name: FileName, at location: FileLocation) throws(SyncError) {
    let path = location.path
    let file = try Self.opened(name, at: location)
    let facts = try at(path) { () throws(Errno) in try location.folder.facts(of: file) }
    if let objection = facts.objection { throw SyncError(.pathFailed, "\(path) is \(objection)") }
    // Reading such a file would download it, and could block for long.
    if facts.isDataless { throw SyncError(.unavailable, "\(path) is in a cloud and not on this machine") }
    self.init(path: path, file: file, facts: facts)
  }

  private static func opened(_ name: FileName, at location: FileLocation) throws(SyncError) -> Descriptor {
    do throws(Errno) { return try location.folder.file(name) } catch {
      guard error == .noPermission else { throw SyncError(error, at: location.path) }
      throw SyncError(
        .pathFailed, "cannot read \(location.path): \(error.text); give the user that runs syncd the right to read it",
        cause: "errno \(error.number)")
    }
  }

  private init(path: SyncPath, file: consuming Descriptor, facts: FileFacts) {
    self.path = path
    self.file = file
    self.facts = facts
  }

  /// Reads everything into `sink` and returns the digest; throws `.changedMeanwhile` if the file was written to.
  func pour(into sink: any ContentSink) async throws(SyncError) -> Digest {
    if facts.size < Self.chunk {
      let bytes = try whole()
      return try await sink.receive(bytes)
    }
    return try await sink.receive(size: facts.size) { intake throws(SyncError) in
      try await pieces(into: intake)
    }.digest
  }

  /// Returns the digest of what can be read, even if a program is writing to the file.
  func digest() throws(SyncError) -> Digest {
    var hasher = DigestHasher()
    while true {
      let chunk = try next(atMost: min(Self.chunk, facts.size + 1))
      if chunk.isEmpty { return hasher.finish() }
      hasher.update(chunk)
    }
  }

  /// Returns the digest of a file that no program writes to; throws `.changedMeanwhile` if one does.
  func stableDigest() throws(SyncError) -> Digest {
    let digest = try digest()
    try requireUnchanged(after: facts.size)
    return digest
  }

  /// Returns true if no program has the file open for writing, and none can before this read ends.
  ///
  /// Only the owner of a file may test this, and not every file system supports it; otherwise this returns true, and the
  /// content must be checked again.
  func hasNoWriter() -> Bool {
    do throws(Errno) {
      try once { posix_take_lease(file.number) }
      return true
    } catch { return error != .again }
  }

  private func whole() throws(SyncError) -> [UInt8] {
    var bytes = try next(atMost: facts.size + 1)
    while bytes.count < facts.size {
      let more = try next(atMost: facts.size + 1 - bytes.count)
      if more.isEmpty { break }
      bytes += more
    }
    try requireUnchanged(after: bytes.count)
    return bytes
  }

  private func pieces(into intake: any ContentIntake) async throws(SyncError) {
    var count = 0
    while true {
      let chunk = try next(atMost: Self.chunk)
      if chunk.isEmpty { break }
      count += chunk.count
      try await intake.write(chunk)
    }
    try requireUnchanged(after: count)
  }

  private func next(atMost limit: Int) throws(SyncError) -> [UInt8] {
    try at(path) { () throws(Errno) in try file.read(atMost: limit) }
  }

  private func requireUnchanged(after count: Int) throws(SyncError) {
    let now = try at(path) { () throws(Errno) in try file.facts() }
    guard now == facts, count == facts.size else {
      throw SyncError(.changedMeanwhile, "\(path) changed while it was read")
    }
  }
}
