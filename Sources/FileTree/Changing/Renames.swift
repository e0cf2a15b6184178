internal import SyncKit

/// The files of a batch that get another name.
///
/// Such a file is linked to its new name, so nothing is written again, and then loses the old one. In between it has both names; after a
/// crash there, recovery takes the old one away. A program that has the file open writes to it under its new name, as after any
/// rename. Where the file system has no links, the content is written again.
struct Renames {
  private struct Rename {
    /// The change that creates the file, once it was published.
    var creation: FileChange?
    let removal: FileChange
  }

  private let tree: OpenTree
  private let machine: Machine
  private let changes: [Change]
  /// The indices of the removals by those of the creations.
  private let removals: [Int: Int]
  /// The files that were linked, by the indices of their removals.
  private var linked: [Int: Rename] = [:]

  /// A cloud's program may take two names of one file for two files, so its files are never linked.
  init(among changes: [Change], in tree: OpenTree, on machine: Machine) {
    self.tree = tree
    self.machine = machine
    self.changes = changes
    let renames = tree.requests.mayHaveStubs ? [] : changes.renames
    removals = Dictionary(renames.map { ($0.creation, $0.removal) }, uniquingKeysWith: { first, _ in first })
  }

  /// Links the file that `creation` gives another name to the temporary at `location`; returns its facts, or nil if the content
  /// must be written.
  mutating func stage(_ creation: FileChange, at location: FileLocation) throws(SyncError) -> FileFacts? {
    guard let index = removals[creation.index], let content = creation.change.content,
      let old = source(of: changes[index], content),
      let facts = try Staging(tree: tree).link(old, to: creation.temporary, beside: location, holding: content)
    else { return nil }
    let removal = FileChange(
      index: index, change: changes[index], temporary: tree.temporary(), expected: content.digest, present: nil,
      newPath: creation.path)
    linked[index] = Rename(removal: removal)
    return facts
  }

  /// Returns the location of a file that may lose its name; nil if it is for the removal to say why not.
  private func source(of removal: Change, _ content: Content) -> FileLocation? {
    guard let old = try? tree.location(of: removal.path), let facts = try? old.facts(), facts.objection == nil,
      !facts.isDataless, facts.size == content.size, EmacsLock(beside: old)?.isHeld(on: machine) != true
    else { return nil }
    return old
  }

  /// Returns the removals of those of the created files that were linked.
  func removals(of creations: [FileChange]) -> [FileChange] {
    creations.compactMap { removals[$0.index] }.compactMap { linked[$0]?.removal }
  }

  /// Returns the removal with this index if the file was linked.
  func removal(at index: Int) -> FileChange? { linked[index]?.removal }

  /// Records that a linked file has its new name.
  mutating func publish(_ creation: FileChange) {
    if let index = removals[creation.index] { linked[index]?.creation = creation }
  }

  /// Drops the renames of files that did not get their new names; their removals are as any others. Returns these.
  mutating func dropUnpublished() -> [FileChange] {
    let dropped = linked.filter { $0.value.creation == nil }
    for index in dropped.keys { linked[index] = nil }
    return dropped.values.map(\.removal)
  }

  /// The files that got their new names.
  var creations: [FileChange] { linked.values.compactMap(\.creation) }
}

extension OpenTree {
  /// Returns true if the file called `name`, at the location or beside it, is the one at `newPath`: it loses nothing with that name.
  func isRenamed(_ name: FileName, at location: FileLocation, to newPath: SyncPath?) -> Bool {
    guard let newPath, let new = try? self.location(of: newPath).facts(), new.kind == .file,
      let old = try? location.folder.facts(of: name)
    else { return false }
    return old.isSameFile(as: new)
  }
}
