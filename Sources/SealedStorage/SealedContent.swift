internal import SyncKit

/// Seals contents before they are written.
struct ContentSealer: Sendable {
  let cipher: any Cipher
  /// Where a large content is put while it is sealed.
  let contents: any ContentLibrary

  /// Up to this size a sealed content is held in memory, beyond it in the archive: a storage wants to know its digest, and
  /// may read it twice.
  private static let largestInMemory = 1 << 20

  /// The sealed form of `content`; throws if that broke off, or is not what it was announced as.
  func seal(_ content: Content, as path: SyncPath, label: [UInt8]) async throws(SyncError) -> Content {
    guard content.size > Self.largestInMemory else {
      var bytes: [UInt8] = []
      try await pour(content, path, label) { bytes += $0 }
      return Content(bytes)
    }
    let sealed = try await contents.intake(keepingAtMost: .max).receive(size: content.size) { out throws(SyncError) in
      try await pour(content, path, label) { chunk throws(SyncError) in try await out.write(chunk) }
    }
    guard let content = try await contents.content(sealed.digest) else {
      throw SyncError(.damagedState, "the archive has lost a content that was put into it just now")
    }
    return content
  }

  private func pour(
    _ content: Content, _ path: SyncPath, _ label: [UInt8], _ write: ([UInt8]) async throws(SyncError) -> Void
  ) async throws(SyncError) {
    var stream = try cipher.sealing(label)
    var reader = try content.reader()
    var hasher = DigestHasher()
    var size = 0
    while let chunk = try await reader.next() {
      hasher.update(chunk)
      size += chunk.count
      guard size <= content.size else { break }
      try await write(try await stream.update(chunk))
    }
    guard size == content.size, hasher.finish() == content.digest else {
      throw SyncError(.changedMeanwhile, "\(path) changed while it was read; the next pass tries again")
    }
    try await write(try await stream.finish())
  }
}
