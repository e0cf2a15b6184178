import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Large contents, each in a file named after its digest: `ab/cdef….zst`, a Zstandard frame; archives before format 4 have
/// written `ab/cdef…` with the bytes as they are. A file with such a name is complete.
struct ContentFiles: Sendable {
  let folder: String

  /// The path of the file for the content with this digest.
  func path(of digest: Digest) -> String { plainPath(of: digest) + Self.frame }

  /// The same for a file that is not compressed.
  func plainPath(of digest: Digest) -> String { "\(parent(of: digest))/\(digest.description.dropFirst(2))" }

  private static let frame = ".zst"

  private func parent(of digest: Digest) -> String { "\(folder)/\(digest.description.prefix(2))" }

  /// Creates a file for a content whose digest is not known yet.
  func create() throws(SyncError) -> StateFile {
    try Self.makeFolder(folder)
    return try StateFile("\(folder)/\(Runtime.real.uniqueName())\(Self.temporary)", O_WRONLY | O_CREAT | O_EXCL)
  }

  /// Makes the bytes of a written file durable, and creates the folder that it will be moved to.
  func prepare(_ file: StateFile, as digest: Digest) throws(SyncError) {
    try file.sync()
    try Self.makeFolder(parent(of: digest))
  }

  /// Renames a prepared file to the name of its content.
  func publish(_ file: StateFile, as digest: Digest) throws(SyncError) {
    guard unsafe rename(file.path, path(of: digest)) == 0 else { throw SyncError(stateFile: file.path, errno) }
  }

  /// Makes the name of a published file durable.
  func syncFolder(of digest: Digest) throws(SyncError) { try StateFile.syncFolder(parent(of: digest)) }

  /// Removes a file that was not published.
  func discard(_ file: StateFile) { unsafe unlink(file.path) }

  /// Removes the file of an unused content.
  func remove(_ digest: Digest) { for path in [path(of: digest), plainPath(of: digest)] { unsafe unlink(path) } }

  /// Returns all contents that are in files.
  func all() throws(SyncError) -> Set<Digest> {
    var digests: Set<Digest> = []
    for first in try StateFile.names(in: folder) where first.utf8.count == 2 {
      for rest in try StateFile.names(in: "\(folder)/\(first)") {
        let name = rest.hasSuffix(Self.frame) ? String(rest.dropLast(Self.frame.count)) : rest
        if let digest = Digest(hexadecimal: first + name) { digests.insert(digest) }
      }
    }
    return digests
  }

  /// Returns the size of all files, packs included, in bytes.
  func storedSize() throws(SyncError) -> Int {
    var size = 0
    for name in try StateFile.names(in: folder) {
      let path = "\(folder)/\(name)"
      guard name.utf8.count == 2 else {
        size += StateFile.facts(path)?.size ?? 0
        continue
      }
      size += try StateFile.names(in: path).reduce(0) { $0 + (StateFile.facts("\(path)/\($1)")?.size ?? 0) }
    }
    return size
  }

  /// Returns the size of the content in a file, which is read to its end; nil if it is damaged.
  func size(of digest: Digest) async throws(SyncError) -> Int? {
    do throws(SyncError) {
      var reader = try reader(of: digest)
      var size = 0
      while let chunk = try await reader.next() { size += chunk.count }
      return size
    } catch {
      guard error.code == .damagedState else { throw error }
      return nil
    }
  }

  /// Removes unfinished files whose last write was before `time`.
  func removeTemporaries(before time: Timestamp) throws(SyncError) {
    for name in try StateFile.names(in: folder) where name.hasSuffix(Self.temporary) {
      let path = "\(folder)/\(name)"
      if let facts = StateFile.facts(path), facts.modified < time { unsafe unlink(path) }
    }
  }

  private static let temporary = ".tmp"

  /// Creates a folder unless it exists; its name is durable then.
  static func makeFolder(_ path: String) throws(SyncError) {
    if unsafe mkdir(path, 0o700) == 0 { return try StateFile.syncFolder(StateFile.folder(of: path)) }
    guard errno == EEXIST else { throw SyncError(stateFile: path, errno) }
  }
}

extension ContentFiles {
  /// Returns the content with this digest, backed by its file. Reading it throws at the end if the bytes do not match the
  /// digest.
  func content(_ digest: Digest, size: Int) throws(SyncError) -> Content {
    if StateFile.facts(path(of: digest)) == nil {
      guard let facts = StateFile.facts(plainPath(of: digest)) else {
        throw .damaged("the content \(digest) is missing")
      }
      guard facts.size == size else { throw .damaged("the content \(digest) has the wrong length") }
    }
    return Content(digest: digest, size: size) { () throws(SyncError) in try reader(of: digest) }
  }

  private func reader(of digest: Digest) throws(SyncError) -> any ContentReader {
    let path = path(of: digest)
    return StateFile.facts(path) != nil
      ? try FramedFileReader(path: path, digest: digest)
      : try PlainFileReader(path: plainPath(of: digest), digest: digest)
  }
}

/// Reads a compressed content once, and verifies the digest at the end.
private struct FramedFileReader: ContentReader {
  private let file: StateFile
  private let digest: Digest
  private let frame = FrameReader()
  private var hasher: DigestHasher? = DigestHasher()

  init(path: String, digest: Digest) throws(SyncError) {
    self.digest = digest
    file = try StateFile(path, O_RDONLY)
  }

  mutating func next() throws(SyncError) -> [UInt8]? {
    while true {
      if frame.needsInput {
        let input = try file.read(atMost: 1 << 17)
        if input.isEmpty { return try finish() }
        frame.feed(input)
      }
      guard let bytes = frame.next(atMost: 1 << 18) else { throw Self.damaged(digest) }
      if bytes.isEmpty { continue }
      hasher?.update(bytes)
      return bytes
    }
  }

  private mutating func finish() throws(SyncError) -> [UInt8]? {
    if let found = hasher.take()?.finish(), found != digest { throw Self.damaged(digest) }
    return nil
  }

  private static func damaged(_ digest: Digest) -> SyncError {
    .damaged("the content \(digest) has the wrong checksum")
  }
}

/// Reads a content's file once, and verifies the digest at the end.
private struct PlainFileReader: ContentReader {
  private let file: StateFile
  private let digest: Digest
  private var hasher: DigestHasher? = DigestHasher()

  init(path: String, digest: Digest) throws(SyncError) {
    self.digest = digest
    file = try StateFile(path, O_RDONLY)
  }

  mutating func next() throws(SyncError) -> [UInt8]? {
    let chunk = try file.read(atMost: 1 << 20)
    guard chunk.isEmpty else {
      hasher?.update(chunk)
      return chunk
    }
    if let found = hasher.take()?.finish(), found != digest {
      throw .damaged("the content \(digest) has the wrong checksum")
    }
    return nil
  }
}
