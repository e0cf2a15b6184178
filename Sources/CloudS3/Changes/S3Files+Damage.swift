internal import SyncKit

/// Objects whose content is not what their metadata say, such as a part of an upload that was cut. They are never synced. A part
/// is replaced by the whole content; anything else may be a version of another program, and stays.
extension S3Files {
  /// A present object, compared with a content.
  enum Reading: Sendable {
    /// It has the content.
    case whole(Entry)
    /// It has the beginning of the content.
    case part(Entry)
    /// It has another content.
    case other
    /// It is absent or could not be read.
    case unread
  }

  /// Reads an object and compares it with `content`.
  func reading(_ path: SyncPath, against content: Content) async throws(SyncError) -> Reading {
    guard case .read(let entry) = try await fetch(path, into: DigestSink()).result else { return .unread }
    if entry.digest == content.digest { return .whole(entry) }
    guard entry.size < content.size, entry.digest == (try await content.digest(ofFirst: entry.size)) else {
      return .other
    }
    return .part(entry)
  }

  /// The error for an object whose content is not what its metadata say.
  ///
  /// - Parameter found: its content.
  func damage(of path: SyncPath, found: Digest? = nil) -> SyncError {
    var error = SyncError(
      .suspect,
      "\(path) in \(address) has another content than its metadata say, as after an upload that was cut; ignored. Upload it again, "
        + "or delete the object")
    error.found = found
    return error
  }

  /// Replaces the parts of uploads that were read before, if this device has the whole content.
  func repair(with library: any ContentLibrary) async throws(SyncError) {
    for (path, declared) in try await state.damaged() {
      guard case .file(let facts) = try await lookUp(path), facts.digest == declared else {
        try await state.remove(damaged: path)
        continue
      }
      guard let content = try await library.content(declared),
        case .part(let entry) = try await reading(path, against: content)
      else { continue }
      if case .done = try await write(content, to: path, if: .unchanged(entry.revision)) {
        try await state.remove(damaged: path)
      }
    }
  }
}

extension Content {
  /// Returns the digest of the first bytes.
  fileprivate func digest(ofFirst count: Int) async throws(SyncError) -> Digest {
    var (reader, hasher, rest) = (try reader(), DigestHasher(), count)
    while rest > 0, let chunk = try await reader.next() {
      hasher.update(Array(chunk.prefix(rest)))
      rest -= min(rest, chunk.count)
    }
    return hasher.finish()
  }
}
