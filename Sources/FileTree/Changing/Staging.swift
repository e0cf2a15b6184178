internal import CPOSIX
internal import SyncKit

/// Writes a new content to a temporary beside its path.
struct Staging {
  let tree: OpenTree

  /// The mode of a new file, as with any other program.
  private static let newMode: mode_t = {
    // The mask can only be read by setting it; files that another thread creates meanwhile are private at worst.
    let mask = umask(0o077)
    _ = umask(mask)
    return 0o666 & ~mask
  }()

  /// Writes the whole `content`; returns the facts of the finished file. If it throws, the temporary is removed.
  func write(
    _ content: Content, to temporary: Temporary, beside location: FileLocation, like replaced: FileFacts?,
    modified: Timestamp?
  ) async throws(SyncError) -> FileFacts {
    let file = try tree.primitives.create(temporary, beside: location)
    do throws(SyncError) {
      try await pour(content, into: file, at: location.path)
      return try finish(file, mode: replaced?.mode ?? Self.newMode, modified: modified, at: location.path)
    } catch {
      // If this fails as well, the next pass finds the temporary.
      _ = try? tree.primitives.discard(temporary, beside: location)
      throw error
    }
  }

  private func pour(
    _ content: Content, into file: borrowing Descriptor, at path: SyncPath
  ) async throws(SyncError) {
    var reader = try content.reader()
    var hasher = DigestHasher()
    var size = 0
    while var chunk = try await reader.next() {
      try TreeFailpoint.temporaryWriting.reach(writing: &chunk)
      hasher.update(chunk)
      size += chunk.count
      do throws(Errno) { try file.write(chunk) } catch { throw SyncError(error, at: path) }
    }
    guard size == content.size, hasher.finish() == content.digest else {
      throw SyncError(.pathFailed, "the content of \(path) has the wrong length or checksum")
    }
  }

  private func finish(
    _ file: consuming Descriptor, mode: mode_t, modified: Timestamp?, at path: SyncPath
  ) throws(SyncError) -> FileFacts {
    let facts: FileFacts
    do throws(Errno) {
      if let modified { try file.set(modified: modified.nanoseconds) }
      try file.set(mode: mode)
      facts = try file.facts()
      try file.close()
    } catch { throw SyncError(error, at: path) }
    try tree.primitives.reach(.temporaryWritten)
    return facts
  }
}
