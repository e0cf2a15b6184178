internal import SyncKit

extension WebDAVStorage {
  /// Returns the part of a path, the file or a folder above it, that the server lists under another name; nil if there is none.
  ///
  /// A server that alters names also finds a file under its original name. Only the listing shows the altered one.
  func alteredPart(of path: SyncPath, _ traits: Traits?) async throws(SyncError) -> SyncPath? {
    for part in path.ancestors.reversed() + [path] {
      if traits?.surelyKeeps(part) == true || state.isSpelled(part) { continue }
      guard let listed = try await names(in: part.parent) else { return nil }
      guard listed.contains(Array(part.name)) else { return part }
      // A file is new each time; its name is looked up again.
      if part != path { state.record(spelled: part) }
    }
    return nil
  }

  /// Returns the names in a folder; nil if the folder does not exist.
  private func names(in folder: SyncPath?) async throws(SyncError) -> Set<[UInt8]>? {
    try await server.children(of: folder).map { Set($0.items.keys) }
  }

  /// Returns those of the paths that the server lists under their names. Lists each folder once. Leaves out the files of a folder
  /// that cannot be listed.
  func listed(of paths: [SyncPath], _ traits: Traits) async throws(SyncError) -> Set<SyncPath> {
    var listed = Set(paths.filter(traits.surelyKeeps))
    for (folder, group) in Dictionary(grouping: paths.filter { !listed.contains($0) }, by: \.parent) {
      do throws(SyncError) {
        if let folder, try await alteredPart(of: folder, traits) != nil { continue }
        let names = try await names(in: folder) ?? []
        listed.formUnion(group.filter { names.contains(Array($0.name)) })
      } catch {
        if error.reach == .pass { throw error }
      }
    }
    return listed
  }
}

extension FileWrite {
  /// Removes an upload whose name the server has altered, and records that it alters the name; nil if it lists the name. Without a
  /// listing the result is unknown, and the next pass checks.
  func declinedIfAltered(_ observation: Observation, by evidence: Evidence) async throws(SyncError) -> WriteResult? {
    guard case .absent = condition else { return nil }
    let found: SyncPath?
    do throws(SyncError) { found = try await storage.alteredPart(of: path, traits) } catch {
      if error.reach == .pass { throw error }
      return .unknown(error)
    }
    guard let part = found else { return nil }
    if evidence.proves(observation.facts) { _ = try await server.delete(url) }
    try await state.record(altered: part)
    return .cannot(Self.alteration(of: part))
  }

  /// The reason for leaving a file alone whose name the server alters.
  static func alteration(of part: SyncPath) -> String { "the server stores \(part) under another name" }
}
