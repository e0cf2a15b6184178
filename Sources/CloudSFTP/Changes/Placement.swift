internal import SFTPWire
internal import SyncKit

/// Gives files their names without overwriting others.
struct Placement: Sendable {
  let storage: SFTPStorage
  let traits: Traits

  private var server: Server { storage.server }
  private var folder: RemoteFolder { storage.folder }

  /// The result of giving a file a name.
  enum Naming: Equatable {
    case done
    /// The server has refused, for this reason.
    case refused(String)
    /// The server has confirmed it, and does not have the file there: it did nothing, or another writer has moved the file away to
    /// look at it.
    case unknown

    /// The result in words, for an error.
    var reason: String {
      switch self {
      case .done: "it has its name"
      case .refused(let reason): reason
      case .unknown: "the server reported that it gave the file its name, but does not have it there"
      }
    }
  }

  /// Gives a file a free name.
  ///
  /// - Parameter facts: the attributes of the file. The answer proves nothing, so those under the name must be the same.
  func name(_ source: SyncPath, _ path: SyncPath, _ facts: FileFacts) async throws(SyncError) -> Naming {
    let replies = try await server.perform([placing(source, at: path), .stat(folder.bytes(of: path))])
    guard replies[0].isDone else { return .refused(replies[0].reason) }
    if replies[1].attributes.flatMap({ FileFacts($0) }) == facts { return .done }
    // A writer that moved it aside restores the name as soon as it sees another version than it expected.
    if case .file(_, facts) = try await storage.lookUp(path) { return .done }
    return .unknown
  }

  /// The request that gives a file a free name, and leaves a taken one alone.
  private func placing(_ source: SyncPath, at path: SyncPath) -> SFTPRequest {
    let (source, path) = (folder.bytes(of: source), folder.bytes(of: path))
    return traits.placing == .link ? .link(source, to: path) : .rename(source, to: path)
  }

  /// The request that moves a file away.
  func moving(_ path: SyncPath, to kept: SyncPath) -> SFTPRequest {
    let (path, kept) = (folder.bytes(of: path), folder.bytes(of: kept))
    return traits.movesAtomically ? .move(path, to: kept) : .rename(path, to: kept)
  }

  /// Gives a version that was moved away its name back. If the name is taken meanwhile, a version that is in the history is
  /// removed, and any other gets a name of its own. Returns the attributes of the file if it has its name again.
  @discardableResult
  func restore(_ kept: SyncPath, to path: SyncPath) async throws(SyncError) -> Bool {
    if try await place(kept, at: path) { return true }
    guard case .file(_, let facts) = try await storage.lookUp(kept) else { return false }
    let present = try await storage.lookUp(path)
    // Without a file in its place, the server has refused the name for another reason, such as a full disk.
    if case .absent = present { return false }
    guard case .read(let found) = try await storage.fetch(folder.bytes(of: kept), into: DigestSink()) else {
      return false
    }
    // People do not edit the marker.
    var isKnown =
      path.bytes.elementsEqual(ReservedName.marker.utf8)
      ? true : try await storage.parts.contents.content(found.digest) != nil
    if !isKnown, case .file(_, facts) = present,
      case .read(let other) = try await storage.fetch(folder.bytes(of: path), into: DigestSink())
    {
      // The name was given back, and the other one not removed.
      isKnown = other.digest == found.digest
    }
    if isKnown {
      _ = try await server.perform(.remove(folder.bytes(of: kept)))
    } else {
      try await setAside(kept, of: path, found.digest, facts.modified)
    }
    return false
  }

  /// Gives a version that no pass has seen the name of a conflict copy.
  func setAside(
    _ kept: SyncPath, of path: SyncPath, _ digest: Digest, _ modified: Timestamp
  ) async throws(SyncError) {
    let copy = ConflictName.path(for: path, at: modified, by: storage.parts.name, digest: digest, digits: 8)
    _ = try await place(kept, at: copy)
  }

  /// Gives a file or a link a free name instead of its present one. Returns true if it has the name.
  private func place(_ source: SyncPath, at path: SyncPath) async throws(SyncError) -> Bool {
    let (old, new) = (folder.bytes(of: source), folder.bytes(of: path))
    let replies = try await server.perform([.stat(old), placing(source, at: path), .stat(new), .readLink(new)])
    guard replies[1].isDone else { return false }
    var isThere = false
    if case .names = replies[3] { isThere = true }
    if let facts = replies[0].attributes.flatMap({ FileFacts($0) }),
      replies[2].attributes.flatMap({ FileFacts($0) }) == facts
    {
      isThere = true
    }
    // The present name may be the only one.
    guard isThere else { return false }
    if traits.placing == .link { _ = try await server.perform(.remove(old)) }
    return true
  }
}

extension SFTPReply {
  /// The reason that the server gives for a refusal.
  var reason: String { refusal?.message ?? "no reason given" }
}
