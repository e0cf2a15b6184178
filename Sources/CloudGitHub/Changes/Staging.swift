internal import GitObjects
internal import SyncKit

/// The contents of a batch, in memory, with the ids that the server must give them.
struct Staging: Sendable {
  /// The content of each change, or the reason why it is unavailable; nil for removals.
  private(set) var contents: [Result<StagedContent, SyncError>?] = []
  /// The bytes by id.
  private(set) var bytes: [ObjectID: [UInt8]] = [:]

  init(_ changes: [Change], largest: (Int) -> SyncError?) async throws(SyncError) {
    for change in changes {
      guard let content = change.content else {
        contents.append(nil)
        continue
      }
      do throws(SyncError) { try await add(content, largest) } catch {
        guard error.reach == .path else { throw error }
        contents.append(.failure(error))
      }
    }
  }

  private mutating func add(_ content: Content, _ largest: (Int) -> SyncError?) async throws(SyncError) {
    if let error = largest(content.size) { throw error }
    let read = try await content.bytes()
    guard read.count == content.size, Digest(of: read) == content.digest else {
      throw SyncError(.pathFailed, "the file changed while it was read; nothing was written")
    }
    guard !LargeFilePointer.isOne(read) else {
      throw SyncError(.pathFailed, "the file is a pointer of git LFS, whose content the API cannot store; ignored")
    }
    let id = ObjectID(of: "blob", read)
    bytes[id] = read
    contents.append(.success(StagedContent(id: id, hasCRLF: read.hasCRLF)))
  }
}
