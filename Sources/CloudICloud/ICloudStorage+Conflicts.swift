internal import FileTree
internal import OrgMerging
internal import SyncKit

extension ICloudStorage {
  /// Merges the conflict versions of all text files, and marks them as resolved once the merge is durable. A version that was
  /// merged and not marked is merged again, which changes nothing. Returns the paths with versions that have to wait.
  func mergeConflicts(since known: Known) async throws(SyncError) -> [(path: SyncPath, reason: String)] {
    var waiting: [(path: SyncPath, reason: String)] = []
    for path in service.conflicts.paths(below: tree.path) where known.filter.accepts(path) {
      for version in service.conflicts.versions(of: "\(tree.path)/\(path)") {
        do throws(SyncError) {
          guard let reason = try await merge(version, into: path, since: known) else { continue }
          waiting.append((path, reason))
        } catch {
          guard error.reach == .path else { throw error }
          waiting.append((path, error.message))
        }
        // The versions are merged in their order.
        break
      }
    }
    return waiting
  }

  /// Merges one version; returns the reason if it has to wait.
  private func merge(
    _ version: ConflictVersion, into path: SyncPath, since known: Known
  ) async throws(SyncError) -> String? {
    let present: (entry: Entry, bytes: [UInt8])
    switch try await text(at: path) {
    case .success(let text): present = text
    case .failure(let reason): return reason.text
    }
    guard let theirs = try version.content() else { return "iCloud has not fetched its conflict version yet" }
    guard merger.merges(path, size: max(present.bytes.count, theirs.count)), theirs.isText, present.bytes.isText else {
      return "it has a conflict version that is not text; choose one in the Finder"
    }
    try await keep(theirs, of: path)
    let versions = try await agreedVersions(of: path, known)
    let base = ConflictAncestor.ancestor(of: present.bytes, and: theirs, among: versions)
    if let reason = try await publish(theirs, version, at: path, over: present, base: base) {
      return reason
    }
    try version.resolve()
    return nil
  }

  /// The reason why a file cannot be read now.
  private struct Obstacle: Error { var text: String }

  private func text(
    at path: SyncPath
  ) async throws(SyncError) -> Result<(entry: Entry, bytes: [UInt8]), Obstacle> {
    let sink = MemorySink(limit: OrgMerger.largestText)
    switch try await tree.read(file: path, into: sink) {
    case .read(let entry): return .success((entry, sink.bytes))
    case .absent:
      return .failure(Obstacle(text: "it has a conflict version, and was removed; restore one in the Finder"))
    case .postponed(let reason): return .failure(Obstacle(text: reason))
    case .failed(let error): return .failure(Obstacle(text: error.message))
    }
  }

  /// Stores a version in the history before anything else happens to it.
  private func keep(_ bytes: [UInt8], of path: SyncPath) async throws(SyncError) {
    let digest = try await parts.contents.intake(keepingAtMost: .max).receive(bytes)
    try await parts.contents.flush()
    try await parts.contents.keep([Version(remote: parts.name, path: path, digest: digest, side: .remote)])
  }

  /// The number of agreed versions among which the ancestor is looked for.
  private static let history = 20

  /// Returns the agreed versions, the newest first, without gaps.
  private func agreedVersions(of path: SyncPath, _ known: Known) async throws(SyncError) -> [[UInt8]] {
    var digests = try await parts.contents.agreedVersions(of: path, atMost: Self.history)
    if let present = known.digest(of: path), digests.first != present {
      digests = [present] + digests.filter { $0 != present }
    }
    var versions: [[UInt8]] = []
    for digest in digests {
      guard let content = try await parts.contents.content(digest) else { break }
      versions.append(try await content.bytes())
    }
    return versions
  }

  /// Writes the merge, or, where a person would have to decide, the version beside the file; returns the reason if that was
  /// refused.
  private func publish(
    _ theirs: [UInt8], _ version: ConflictVersion, at path: SyncPath, over present: (entry: Entry, bytes: [UInt8]),
    base: [UInt8]?
  ) async throws(SyncError) -> String? {
    switch merged(theirs, at: path, with: present.bytes, base: base) {
    case .clean(let bytes):
      guard bytes != present.bytes else { return nil }
      return try await commit(
        Change(
          path: path, content: Content(bytes), condition: .unchanged(present.entry.revision),
          replaced: Content(present.bytes)))
    case .marked, .decided, .sideBySide:
      let content = Content(theirs)
      let copy = ConflictName.path(
        for: path, at: version.modified, by: version.computer, digest: content.digest, digits: 12)
      return try await commit(Change(path: copy, content: content, condition: .absent))
    }
  }

  private func merged(
    _ theirs: [UInt8], at path: SyncPath, with present: [UInt8], base: [UInt8]?
  ) -> MergeResult {
    if theirs == present || base == theirs { return .clean(present) }
    if base == present { return .clean(theirs) }
    let input = MergeInput(path: path, base: base, local: present, remote: theirs)
    return merger.merge([input], preferring: nil)[path] ?? .sideBySide()
  }

  private func commit(_ change: Change) async throws(SyncError) -> String? {
    switch try await tree.commit([change]).first {
    case .done: return nil
    case .refused(let entry?) where change.condition == .absent && entry.size == change.content?.size:
      // The copy of an earlier, interrupted pass; its name has the digest.
      return nil
    case .postponed(let reason), .cannot(let reason): return reason
    case .failed(let error), .unknown(let error): return error.message
    default: return "it changed while its conflict versions were merged"
    }
  }
}

extension [UInt8] {
  /// True for UTF-8. The encrypted files of a remote are not, and have names that say nothing.
  fileprivate var isText: Bool { String(validating: self, as: UTF8.self) != nil }
}
