extension Content {
  /// The same content, which cannot be read to its end unless it has the announced size and digest: instead of the last bytes,
  /// reading throws `.changedMeanwhile`. A caller that reads all of it has the whole content.
  public var verified: Content {
    let content = self
    return Content(digest: digest, size: size) { () throws(SyncError) in
      VerifiedReader(digest: content.digest, size: content.size, source: try content.reader())
    }
  }
}

/// Holds the last chunk back until the content has been verified.
private struct VerifiedReader: ContentReader {
  let digest: Digest
  let size: Int
  var source: any ContentReader
  var hasher = DigestHasher()
  var count = 0
  var held: [UInt8]?
  var hasEnded = false

  init(digest: Digest, size: Int, source: any ContentReader) {
    self.digest = digest
    self.size = size
    self.source = source
  }

  mutating func next() async throws(SyncError) -> [UInt8]? {
    while !hasEnded {
      guard let chunk = try await source.next() else {
        hasEnded = true
        guard count == size, hasher.finish() == digest else {
          throw SyncError(.changedMeanwhile, "the file changed while it was read; the next pass tries again")
        }
        break
      }
      hasher.update(chunk)
      count += chunk.count
      defer { held = chunk }
      if let held { return held }
    }
    defer { held = nil }
    return held
  }
}
