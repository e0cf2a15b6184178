internal import HTTPStorage
internal import SyncKit

/// The result of looking for the folder of a file, which is created if it is missing.
enum FolderResult: Sendable {
  case id(String)
  /// There is none, and the file cannot be written.
  case blocked(WriteResult)
}

extension BoxStorage {
  /// Returns the folder at a path, the root for nil.
  ///
  /// - Parameter attempts: the number of times that a folder above it may disappear meanwhile.
  func folder(for path: SyncPath?, attempts: Int = 3) async throws(SyncError) -> FolderResult {
    if let id = try await feed.tree().folder(at: path) { return .id(id) }
    guard let path else { preconditionFailure("the root is in every tree") }
    let parent: String
    switch try await folder(for: path.parent, attempts: attempts) {
    case .id(let id): parent = id
    case .blocked(let result): return .blocked(result)
    }
    let result: FolderResult? = try await service.locks.withLock("folder \(path)") { () throws(SyncError) in
      if let id = try await feed.tree().folder(at: path) { return .id(id) }
      return try await create(path, in: parent)
    }
    if let result { return result }
    // The next pass finds out what happened to it.
    feed.doubt()
    guard attempts > 0, path.parent != nil else {
      return .blocked(.failed(SyncError(.pathFailed, "cannot create the folder \(path): Box does not find its parent")))
    }
    feed.remove(parent)
    return try await folder(for: path, attempts: attempts - 1)
  }

  /// Creates a folder, or finds the one that is there; nil if the folder above it has disappeared.
  private func create(_ path: SyncPath, in parent: String) async throws(SyncError) -> FolderResult? {
    let name = String(decoding: path.name, as: UTF8.self)
    let wish: JSON = ["name": .string(name), "parent": ["id": .string(parent)]]
    var outcome = try await service.change("POST", "folders", wish)
    if outcome.isLost { outcome = try await service.change("POST", "folders", wish) }
    switch outcome {
    case .notSent(let error), .lost(let error): throw error
    case .answered(let answer) where answer.isGood:
      let item: Item = try service.value(in: answer, at: path.description)
      feed.record(item, in: parent)
      return .id(item.id)
    case .answered(let answer) where answer.status == 409:
      return try await existing(answer.refusal?.conflict, path, in: parent)
    case .answered(let answer):
      return answer.status == 404 ? nil : .blocked(result(of: answer, path))
    }
  }

  /// The folder that has the name already.
  private func existing(
    _ conflict: Refusal.Conflict?, _ path: SyncPath, in parent: String
  ) async throws(SyncError) -> FolderResult {
    let listing = try await service.list(parent, maxFiles: feed.maxFiles, address: address)
    guard case .items(let items) = listing else {
      return .blocked(.failed(SyncError(.pathFailed, "cannot create the folder \(path): Box does not list its parent")))
    }
    switch Lookup.result(of: path, in: Lookup.Folder(id: parent, items: items)) {
    case .other(let item) where item.isFolder:
      feed.record(item, in: parent)
      // Its contents are not known.
      feed.doubt()
      return .id(item.id)
    case .spelledOtherwise(let name):
      let written = path.sibling(Array(name.utf8)) ?? path
      return .blocked(.cannot("Box treats the folder \(path) as \(written)"))
    case .file, .other:
      return .blocked(.failed(SyncError(.pathFailed, "cannot write below \(path): an item has the name of its folder")))
    case .absent, .unclear:
      return .blocked(
        .failed(SyncError(.pathFailed, "Box does not create the folder \(path) for now; it is tried again")))
    }
  }

  /// Removes the folder at a path if it contains no file at any depth; returns true if it did. Box removes no folder that is not
  /// empty, so what another client has just added stays.
  func removeEmptyFolder(at path: SyncPath) async throws(SyncError) -> Bool {
    guard let folder = try await lookup.folder(at: path) else { return false }
    return try await remove(folder, at: path)
  }

  private func remove(_ folder: Lookup.Folder, at path: SyncPath) async throws(SyncError) -> Bool {
    guard folder.items.allSatisfy(\.isFolder) else { return false }
    for item in folder.items {
      guard let inner = path.appending(Array(item.name.utf8)),
        case .items(let items) = try await service.list(item.id, maxFiles: feed.maxFiles, address: address),
        try await remove(Lookup.Folder(id: item.id, items: items), at: inner)
      else { return false }
    }
    let outcome = try await service.change("DELETE", "folders/\(folder.id)")
    guard outcome.isRemoval || outcome.status == 404 else { return false }
    feed.remove(folder.id)
    return true
  }
}
