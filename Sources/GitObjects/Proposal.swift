package import SyncKit

/// The effect of a batch of changes on the tree of a branch: which changes can happen, and why the others cannot. The edited
/// tree stays in memory until it is written.
package struct Proposal {
  package let edit: TreeEdit
  let attributes: Attributes
  let naming: NamingRules
  /// The results of changes that cannot happen; nil for the others.
  package private(set) var results: [WriteResult?]
  package private(set) var files: [(kind: CommitMessage.Kind, path: SyncPath)] = []
  /// The modes of files that the batch removes, by object, so that a moved file keeps its mode.
  private var removedModes: [ObjectID: GitTree.Mode] = [:]

  package init(
    _ changes: [Change], _ staged: [Result<StagedContent, SyncError>?], to edit: TreeEdit, _ attributes: Attributes,
    _ naming: NamingRules
  ) throws(SyncError) {
    self.edit = edit
    self.attributes = attributes
    self.naming = naming
    results = Array(repeating: nil, count: changes.count)
    for index in changes.indices where changes[index].content == nil {
      if case .success(.entry(let entry)) = try item(changes[index].path) { removedModes[entry.id] = entry.mode }
    }
    for index in changes.steps.joined() { results[index] = try propose(changes[index], staged[index]) }
  }

  /// True if no change can happen.
  package var isEmpty: Bool { results.allSatisfy { $0 != nil } }

  private mutating func propose(
    _ change: Change, _ staged: Result<StagedContent, SyncError>?
  ) throws(SyncError) -> WriteResult? {
    let item: TreeEdit.Item
    switch try self.item(change.path) {
    case .success(let found): item = found
    case .failure(let error): return .failed(error)
    }
    if let violation = violation(to: change, at: item) { return violation }
    var old: GitTree.Entry?
    if case .entry(let entry) = item { old = entry }
    guard change.condition.holds(for: old?.id) else { return .refused(old.map { Entry($0, at: change.path) }) }
    switch staged {
    case nil:
      guard old != nil else { return .done(nil) }
      try edit.remove(change.path)
      files.append((.remove, change.path))
    case .failure(let error)?: return .failed(error)
    case .success(let content)?:
      if content.hasCRLF, attributes.requirements(of: change.path.bytes).wantsLF { return .cannot(Self.wantsLF) }
      try edit.put(content.id, old?.mode ?? removedModes[content.id] ?? .file, at: change.path)
      if old?.id != content.id { files.append((old == nil ? .add : .change, change.path)) }
    }
    return nil
  }

  /// The item at a path, or the reason why a folder on the way to it is unreadable.
  private func item(_ path: SyncPath) throws(SyncError) -> Result<TreeEdit.Item, SyncError> {
    do throws(SyncError) { return .success(try edit.item(path)) } catch {
      guard error.reach == .path else { throw error }
      return .failure(error)
    }
  }

  /// The results of the whole batch once the edited tree is the branch's.
  package func results(of changes: [Change], _ staged: [Result<StagedContent, SyncError>?]) -> [WriteResult] {
    changes.indices.map { index in
      if let result = results[index] { return result }
      guard let content = changes[index].content, case .success(let written)? = staged[index] else { return .done(nil) }
      return .done(
        Entry(
          path: changes[index].path, revision: Revision(bytes: written.id.bytes), digest: content.digest,
          size: content.size))
    }
  }

  /// The reason why the change can never happen, or not while something is in its way.
  private func violation(to change: Change, at item: TreeEdit.Item) -> WriteResult? {
    if let violation = GitName.violation(by: change.path) ?? naming.violation(by: change.path) {
      return .cannot(violation)
    }
    if let conversion = attributes.requirements(of: change.path.bytes).conversion {
      return .cannot("the repository uses \(conversion) for this file (.gitattributes), which syncd does not run")
    }
    switch item {
    case .nothing: return nil
    case .blocked(let entry):
      return .failed(
        SyncError(.pathFailed, "\(printable(entry.name)) is \(entry.mode.summary) in the repository"))
    case .entry(let entry):
      guard !entry.mode.isFile else { return nil }
      if entry.mode.isFolder { return .failed(SyncError(.pathFailed, "the repository has a folder of this name")) }
      return .cannot("the repository has \(entry.mode.summary) of this name; ignored")
    }
  }

  private static let wantsLF =
    "the file has CR LF line ends, but .gitattributes requires LF; change one of them"
}

extension Condition {
  /// Returns true if the condition holds for this object, or for no file.
  fileprivate func holds(for id: ObjectID?) -> Bool {
    switch self {
    case .absent: id == nil
    case .unchanged(let revision): id?.bytes == revision.bytes
    }
  }
}

extension GitTree.Mode {
  /// A description of the item for people.
  package var summary: String { special ?? (isFolder ? "a folder" : "a file") }
}

extension Entry {
  /// The entry of a file in a repository. The object id identifies its content, so the revision is firm.
  package init(_ entry: GitTree.Entry, at path: SyncPath) {
    self.init(path: path, revision: Revision(bytes: entry.id.bytes))
  }
}
