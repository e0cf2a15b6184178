internal import GitObjects
internal import SyncKit

/// Writes the contents of changes into the local copy of the repository, before they are part of any tree.
struct Staging {
  let mirror: Mirror

  private static let smallSize = 1 << 20
  private static let batchBytes = 8 << 20

  /// Returns what each change writes, or why its content is unavailable; nil for removals.
  func stage(_ changes: [Change]) async throws(SyncError) -> [Result<StagedContent, SyncError>?] {
    var results: [Result<StagedContent, SyncError>?] = Array(repeating: nil, count: changes.count)
    var batch: [(index: Int, bytes: [UInt8])] = []
    var size = 0
    for (index, change) in changes.enumerated() {
      guard let content = change.content else { continue }
      guard content.size <= Self.smallSize else {
        results[index] = try await outcome { () throws(SyncError) in try await self.stream(content) }
        continue
      }
      let read = try await outcome { () throws(SyncError) in try await Self.checked(content) }
      switch read {
      case .failure(let error): results[index] = .failure(error)
      case .success(let bytes):
        batch.append((index, bytes))
        size += bytes.count
      }
      if size >= Self.batchBytes {
        try await write(batch, into: &results)
        (batch, size) = ([], 0)
      }
    }
    try await write(batch, into: &results)
    return results
  }

  private func write(
    _ batch: [(index: Int, bytes: [UInt8])], into results: inout [Result<StagedContent, SyncError>?]
  ) async throws(SyncError) {
    guard !batch.isEmpty else { return }
    let ids = try await mirror.write(batch.map(\.bytes))
    for (item, id) in zip(batch, ids) {
      results[item.index] = .success(StagedContent(id: id, hasCRLF: item.bytes.hasCRLF))
    }
  }

  /// Returns the bytes of a content; throws if they do not match its size and digest.
  private static func checked(_ content: Content) async throws(SyncError) -> [UInt8] {
    let bytes = try await content.bytes()
    guard bytes.count == content.size, Digest(of: bytes) == content.digest else { throw altered }
    return bytes
  }

  private func stream(_ content: Content) async throws(SyncError) -> StagedContent {
    try await mirror.check(content.size)
    var reader = try content.reader()
    let number = try await mirror.begin(size: content.size)
    do throws(SyncError) {
      var (hasher, size, hasCRLF, last) = (DigestHasher(), 0, false, UInt8(0))
      while let piece = try await reader.next() {
        hasher.update(piece)
        size += piece.count
        guard size <= content.size else { throw Self.altered }
        hasCRLF = hasCRLF || piece.hasCRLF || last == 0x0D && piece.first == 0x0A
        last = piece.last ?? last
        try await mirror.write(piece, to: number)
      }
      guard size == content.size, hasher.finish() == content.digest,
        let id = try await mirror.end(number, isComplete: true)
      else { throw Self.altered }
      return StagedContent(id: id, hasCRLF: hasCRLF)
    } catch {
      _ = try await mirror.end(number, isComplete: false)
      throw error
    }
  }

  private static var altered: SyncError {
    SyncError(.pathFailed, "the file changed while it was read; nothing was written")
  }

  /// Returns an error that concerns only this content as a result; throws if the pass was stopped or this machine has an error.
  private func outcome<Value>(_ body: () async throws(SyncError) -> Value) async throws(SyncError) -> Result<
    Value, SyncError
  > {
    do throws(SyncError) { return .success(try await body()) } catch {
      guard error.reach == .path else { throw error }
      return .failure(error)
    }
  }
}
