internal import SyncKit

extension WebDAVStorage {
  /// The file, or the folder above it, that the server lists under another name than that of the path; nil if there is none.
  ///
  /// A server that composes letters, or alters names in another way, answers requests for the original name, too: only the
  /// listing shows what it made of it.
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

  /// Those of the paths that the server lists under their names, with one listing for each folder.
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
  /// Takes an upload back whose name the server has altered, and remembers that it does so; nil if it lists the name.
  func declinedIfAltered(_ observation: Observation, by evidence: Evidence) async throws(SyncError) -> WriteResult? {
    guard case .absent = condition, let part = try await storage.alteredPart(of: path, traits) else { return nil }
    if evidence.proves(observation.facts) { _ = try await server.delete(url) }
    try await state.record(altered: part)
    return .cannot(Self.alteration(of: part))
  }

  /// The reason for leaving a file alone whose name the server alters.
  static func alteration(of part: SyncPath) -> String { "the server stores \(part) under another name" }
}
