internal import SyncKit

/// Maps file names to an encrypted storage: plain or encrypted ones.
struct SealedNames: Sendable {
  private let hidden: HiddenNames?

  init(_ key: RemoteKey?) {
    hidden = key.flatMap { $0.hidesNames ? HiddenNames($0) : nil }
  }

  var areHidden: Bool { hidden != nil }

  /// The path in the storage.
  func sealed(_ path: SyncPath) throws(SyncError) -> SyncPath {
    guard let hidden, path != RootMarker.path else { return path }
    return try hidden.sealed(path)
  }

  func reading(of path: SyncPath) -> HiddenNames.Reading { hidden?.reading(of: path) ?? .path(path) }
}

extension Known {
  /// The same knowledge with the paths in the encrypted storage. The filter applies to plain paths, so everything is listed.
  func sealed(_ names: SealedNames) throws(SyncError) -> (known: Known, paths: [SyncPath: SyncPath]) {
    var agreements: [Agreement] = []
    var paths: [SyncPath: SyncPath] = [:]
    for index in 0..<count {
      let (path, revision) = self[index]
      let sealed = try names.sealed(path)
      paths[sealed] = path
      agreements.append(Agreement(path: sealed, digest: .empty, local: revision, remote: revision))
    }
    return (Known(Base(agreements), on: .remote, cursor: cursor), paths)
  }
}

extension Presence {
  /// The same answer for the plain path of the file.
  func about(_ path: SyncPath) -> Presence {
    guard case .present(var entry) = self else { return self }
    entry.path = path
    entry.digest = nil
    return .present(entry)
  }
}

extension WriteResult {
  /// The same result for the plain file: with its path, digest and size.
  func about(_ path: SyncPath, _ content: Content?) -> WriteResult {
    func named(_ entry: Entry?, _ content: Content?) -> Entry? {
      guard var entry else { return nil }
      entry.path = path
      entry.digest = content?.digest
      entry.size = content?.size ?? entry.size
      return entry
    }
    return switch self {
    case .done(let entry): .done(named(entry, content))
    case .accepted(let entry): .accepted(named(entry, content))
    case .refused(let entry): .refused(named(entry, nil))
    case .cannot, .postponed, .unknown, .failed: self
    }
  }
}
