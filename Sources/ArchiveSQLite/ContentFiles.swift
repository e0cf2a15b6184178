import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Large contents, each in a file named after its digest: `ab/cdef…`. A file with such a name is complete.
struct ContentFiles: Sendable {
  let folder: String

  /// The path of the file for the content with this digest.
  func path(of digest: Digest) -> String { "\(parent(of: digest))/\(digest.description.dropFirst(2))" }

  private func parent(of digest: Digest) -> String { "\(folder)/\(digest.description.prefix(2))" }

  /// Creates a file for a content whose digest is not known yet.
  func create() throws(SyncError) -> StateFile {
    try makeFolder(folder)
    return try StateFile("\(folder)/\(Runtime.real.uniqueName())\(Self.temporary)", O_WRONLY | O_CREAT | O_EXCL)
  }

  /// Makes the bytes of a written file durable, and creates the folder that it will be moved to.
  func prepare(_ file: StateFile, as digest: Digest) throws(SyncError) {
    try file.sync()
    try makeFolder(parent(of: digest))
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
  func remove(_ digest: Digest) { unsafe unlink(path(of: digest)) }

  /// Returns all contents that are in files.
  func all() throws(SyncError) -> [Digest: PendingContent] {
    var contents: [Digest: PendingContent] = [:]
    for first in try StateFile.names(in: folder) where first.utf8.count == 2 {
      for rest in try StateFile.names(in: "\(folder)/\(first)") {
        guard let digest = Digest(hexadecimal: first + rest), let facts = StateFile.facts(path(of: digest)) else {
          continue
        }
        contents[digest] = .file(size: facts.size)
      }
    }
    return contents
  }

  /// Removes unfinished files whose last write was before `time`.
  func removeTemporaries(before time: Timestamp) throws(SyncError) {
    for name in try StateFile.names(in: folder) where name.hasSuffix(Self.temporary) {
      let path = "\(folder)/\(name)"
      if let facts = StateFile.facts(path), facts.modified < time { unsafe unlink(path) }
    }
  }

  private static let temporary = ".tmp"

  private func makeFolder(_ path: String) throws(SyncError) {
    if unsafe mkdir(path, 0o700) == 0 { return try StateFile.syncFolder(StateFile.folder(of: path)) }
    guard errno == EEXIST else { throw SyncError(stateFile: path, errno) }
  }
}

extension ContentFiles {
  /// Returns the content with this digest, backed by its file. Reading it throws at the end if the bytes do not match the
  /// digest.
  func content(_ digest: Digest, size: Int) throws(SyncError) -> Content {
    guard let facts = StateFile.facts(path(of: digest)) else { throw .damaged("the content \(digest) is missing") }
    guard facts.size == size else { throw .damaged("the content \(digest) has the wrong length") }
    return Content(digest: digest, size: size) { [path = path(of: digest)] () throws(SyncError) in
      try ContentFileReader(path: path, digest: digest)
    }
  }
}

/// Reads a content's file once, and verifies the digest at the end.
private struct ContentFileReader: ContentReader {
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
