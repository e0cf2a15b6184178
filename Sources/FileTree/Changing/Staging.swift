internal import CPOSIX
internal import SyncKit

/// Writes a new content to a temporary beside its path.
struct Staging {
  let tree: OpenTree

  /// Writes the whole `content`; returns the facts of the finished file. If it throws, the temporary is removed.
  func write(
    _ content: Content, to temporary: Temporary, beside location: FileLocation, like replaced: FileFacts?,
    modified: Timestamp?
  ) async throws(SyncError) -> FileFacts {
    // A new file gets its mode from the mask of the process, as with any other program. One that replaces another is private
    // until it has the mode of that.
    let file = try tree.primitives.create(temporary, beside: location, mode: replaced == nil ? 0o666 : 0o600)
    do throws(SyncError) {
      do throws(SyncError) { try await pour(content, into: file, at: location.path) } catch {
        // A program that is being started has a copy of the descriptor until it runs, and the other files of the batch need the
        // space of this one now.
        tree.primitives.empty(file)
        throw error
      }
      return try finish(file, mode: replaced?.mode, modified: modified, at: location.path)
    } catch {
      // If this fails as well, the next pass finds the temporary.
      _ = try? tree.primitives.discard(temporary, beside: location)
      throw error
    }
  }

  /// Gives the file at `old` the temporary name as well, if it has this content; returns its facts, or nil if it cannot have another
  /// name, or is another version.
  func link(
    _ old: FileLocation, to temporary: Temporary, beside location: FileLocation, holding content: Content
  ) throws(SyncError) -> FileFacts? {
    guard try tree.primitives.link(old, to: temporary, beside: location) == .done else { return nil }
    if let file = try? FileReading(of: temporary.name, at: location), (try? file.stableDigest()) == content.digest {
      let facts = file.facts
      try tree.primitives.reach(.temporaryWritten)
      return facts
    }
    _ = try tree.primitives.discard(temporary, beside: location)
    return nil
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
    _ file: consuming Descriptor, mode: mode_t?, modified: Timestamp?, at path: SyncPath
  ) throws(SyncError) -> FileFacts {
    let facts: FileFacts
    do throws(Errno) {
      if let modified { try file.set(modified: modified.nanoseconds) }
      if let mode { try file.set(mode: mode) }
      facts = try file.facts()
      try file.close()
    } catch { throw SyncError(error, at: path) }
    try tree.primitives.reach(.temporaryWritten)
    return facts
  }
}
