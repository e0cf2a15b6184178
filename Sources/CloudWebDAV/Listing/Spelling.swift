internal import SyncKit

extension WebDAVStorage {
  /// Returns the part of a path, the file or a folder above it, that the server lists under another name; nil if there is none.
  ///
  /// A server that alters names also finds a file under its original name. Only the listing shows the altered one.
  func alteredPart(of path: SyncPath, _ traits: Traits?) async throws(SyncError) -> SyncPath? {
    for part in path.ancestors.reversed() + [path] {
      if traits?.surelyKeeps(part) == true || state.isSpelled(part) { continue }
      guard let listed = try await server.children(of: part.parent)?.items else { return nil }
      guard listed[Array(part.name)] != nil else { return part }
      // A file is new each time; its name is looked up again.
      if part != path { state.record(spelled: part) }
    }
    return nil
  }

  /// Returns those of the paths that the server lists under their names. Lists each folder once.
  func listed(of paths: [SyncPath], _ traits: Traits) async throws(SyncError) -> Set<SyncPath> {
    var listed = Set(paths.filter(traits.surelyKeeps))
    for (folder, group) in Dictionary(grouping: paths.filter { !listed.contains($0) }, by: \.parent) {
      if let folder, try await alteredPart(of: folder, traits) != nil { continue }
      let names = try await server.children(of: folder)?.items ?? [:]
      listed.formUnion(group.filter { names[Array($0.name)] != nil })
    }
    return listed
  }
}

extension FileWrite {
  /// Removes an upload whose name the server has altered, and records that it alters the name; nil if it lists the name.
  func declinedIfAltered(_ observation: Observation, by evidence: Evidence) async throws(SyncError) -> WriteResult? {
    guard case .absent = condition, let part = try await storage.alteredPart(of: path, traits) else { return nil }
    if evidence.proves(observation.facts) { _ = try await server.delete(url) }
    try await state.record(altered: part)
    return .cannot(Self.alteration(of: part))
  }

  /// The reason for leaving a file alone whose name the server alters.
  static func alteration(of part: SyncPath) -> String { "the server stores \(part) under another name" }
}
