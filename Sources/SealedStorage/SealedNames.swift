internal import SyncKit

/// The names of files in an encrypted storage: plain, or encrypted too.
struct SealedNames: Sendable {
  private let hidden: HiddenNames?

  init(_ key: RemoteKey?) {
    hidden = key.flatMap { $0.hidesNames ? HiddenNames($0) : nil }
  }

  var areHidden: Bool { hidden != nil }

  /// The path under which a file is kept.
  func sealed(_ path: SyncPath) throws(SyncError) -> SyncPath {
    guard let hidden, path != RootMarker.path else { return path }
    return try hidden.sealed(path)
  }

  func reading(of path: SyncPath) -> HiddenNames.Reading { hidden?.reading(of: path) ?? .path(path) }
}

extension Known {
  /// The same knowledge with the names that paths have in an encrypted storage. The filter is about the other ones, so
  /// everything is listed.
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
  /// The same answer about the file that is kept under this name.
  func about(_ path: SyncPath) -> Presence {
    guard case .present(var entry) = self else { return self }
    entry.path = path
    entry.digest = nil
    return .present(entry)
  }
}

extension WriteResult {
  /// The same result about the file that was encrypted: with the digest and the size of what went in.
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
