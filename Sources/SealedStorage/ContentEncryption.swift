internal import SyncKit

/// Encrypts contents before they are written.
struct ContentEncryption: Sendable {
  let cipher: any Cipher
  /// The archive, which stores a large content while it is encrypted.
  let contents: any ContentLibrary

  /// The maximum size of a result in memory; a larger one goes into the archive, because a storage needs its digest and may
  /// read it twice.
  private static let largestInMemory = 1 << 20

  /// Returns the encrypted form of `content`; throws if the content ends early, or does not match its size and digest.
  func encrypt(_ content: Content, as path: SyncPath, label: [UInt8]) async throws(SyncError) -> Content {
    guard content.size > Self.largestInMemory else {
      var bytes: [UInt8] = []
      try await encrypt(content, path, label) { bytes += $0 }
      return Content(bytes)
    }
    let stored = try await contents.intake(keepingAtMost: .max).receive(size: content.size) { out throws(SyncError) in
      try await encrypt(content, path, label) { piece throws(SyncError) in try await out.write(piece) }
    }
    guard let content = try await contents.content(stored.digest) else {
      throw SyncError(.damagedState, "the archive has lost a content that was stored just now")
    }
    return content
  }

  private func encrypt(
    _ content: Content, _ path: SyncPath, _ label: [UInt8], into output: CipherOutput
  ) async throws(SyncError) {
    var stream = try cipher.encryptor(label: label)
    var reader = try content.reader()
    var hasher = DigestHasher()
    var size = 0
    while let chunk = try await reader.next() {
      hasher.update(chunk)
      size += chunk.count
      guard size <= content.size else { break }
      try await stream.update(chunk, into: output)
    }
    // The label contains this digest and this size.
    guard size == content.size, hasher.finish() == content.digest else {
      throw SyncError(.changedMeanwhile, "\(path) changed while it was read; the next pass tries again")
    }
    try await stream.finish(into: output)
  }
}
