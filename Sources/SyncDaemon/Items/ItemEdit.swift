package import OrgKit
package import SyncKit

/// The change of one file of the store.
package struct StoreChange: Sendable {
  /// The file.
  package let path: SyncPath
  /// The digest before the change; nil if the file did not exist.
  package let before: Digest?
  /// The content after the change.
  package let after: [UInt8]

  /// The change of a file.
  package init(path: SyncPath, before: Digest?, after: [UInt8]) {
    (self.path, self.before, self.after) = (path, before, after)
  }
}

/// An edit of entries in the store: read, apply a verb, write under the condition that nothing has changed meanwhile.
package struct ItemEdit: Sendable {
  private let configuration: DaemonConfiguration
  private let store: any LocalFiles
  /// What the history says of the edit.
  private let reason: String
  /// How long to wait for Emacs to save a file that it has changed.
  private let patience: Duration

  /// The result of an edit.
  package struct Result: Sendable {
    /// The changed files, with their contents before and after.
    package let changes: [(path: SyncPath, old: [UInt8]?, new: [UInt8])]
    /// What the verbs did in addition.
    package let effects: [OrgEffect]
  }

  /// A function that changes files; it is called again if a file has changed meanwhile.
  package typealias Body = @Sendable (inout OrgFileSet) throws(Refusal) -> [OrgEffect]

  /// - Parameter command: the command line, for the history.
  package init(
    _ configuration: DaemonConfiguration, command: String, patience: Duration = .zero
  ) throws(SyncError) {
    try self.init(configuration, reason: "edited with `\(command)`", patience: patience)
  }

  /// - Parameter reason: what the history says of the edit.
  package init(
    _ configuration: DaemonConfiguration, reason: String, patience: Duration = .zero
  ) throws(SyncError) {
    store = try configuration.store.files()
    (self.configuration, self.reason, self.patience) = (configuration, reason, patience)
  }

  /// Applies the change without writing it.
  package func preview(_ body: Body) throws -> Result { try apply(body).result }

  /// Applies the change and writes the files, in the order in which no entry is lost: those that gain text first.
  package func run(_ body: @escaping Body) async throws -> Result {
    for _ in 0..<3 {
      do { return try await attempt(body) } catch let error as SyncError where error.code == .changedMeanwhile {
        continue
      }
    }
    throw SyncError(.changedMeanwhile, "another program keeps changing the files; nothing was changed. Try again")
  }

  private func attempt(_ body: @escaping Body) async throws -> Result {
    try await Workspace.with(configuration, .exclusive) { workspace in
      let (result, changes) = try apply(body)
      guard !changes.isEmpty else { return result }
      try ItemFailpoint.applied.reach()
      try await waitForEmacs(changes)
      try await write(changes, in: workspace)
      return result
    }
  }

  /// Writes the changes as one step of the history, under the condition that no file has changed since it was read.
  package func write(_ changes: [StoreChange], in workspace: Workspace) async throws(SyncError) {
    let edit = try await StoreEdit(workspace, as: reason)
    for change in changes { edit.expect(change.before, at: change.path) }
    if changes.count > 1 { try ItemIntent(changes, reason: reason).write(in: workspace.state) }
    do throws(SyncError) {
      try await edit.put(changes)
    } catch {
      if changes.count > 1, error.code == .changedMeanwhile {
        try ItemIntent.remove(in: workspace.state)
      }
      throw error
    }
    if changes.count > 1 { try ItemIntent.remove(in: workspace.state) }
  }

  /// Applies the change to the files as they are, and writes nothing. The changes are in the order in which they must be written.
  package func apply(_ body: Body) throws -> (result: Result, changes: [StoreChange]) {
    let files = try StoreFiles(store)
    var set = files.set
    let effects: [OrgEffect]
    do { effects = try body(&set) } catch {
      // The entry may be in a file that could not be read.
      try files.requireReadable()
      throw error
    }
    var changes: [(change: StoreChange, old: [UInt8]?)] = []
    for (name, content) in set.changes.sorted(by: { $0.key < $1.key }) {
      guard let path = SyncPath(name) else { throw SyncError(.pathFailed, "\(name) is not a path in the store") }
      guard !configuration.store.seals.contains(where: { $0.seals(path) }) else {
        throw SyncError(.invalidSettings, "cannot edit the encrypted file \(path)")
      }
      let old = try store.read(name)?.bytes
      changes.append((StoreChange(path: path, before: files.digest(name), after: content), old))
    }
    // A file that grows receives an entry; it is written before the one that loses it.
    changes.sort { Self.growth($0) > Self.growth($1) }
    let result = Result(changes: changes.map { ($0.change.path, $0.old, $0.change.after) }, effects: effects)
    return (result, changes.map(\.change))
  }

  private static func growth(_ change: (change: StoreChange, old: [UInt8]?)) -> Int {
    change.change.after.count - (change.old?.count ?? 0)
  }

  /// Throws if Emacs has unsaved changes in one of the files after the time to wait.
  private func waitForEmacs(_ changes: [StoreChange]) async throws {
    try await EditorLock.wait(for: changes.map(\.path), in: store, patience: patience)
  }

  /// Returns the lock of an editor on the first locked file; nil if none is locked.
  package func lock(on changes: [StoreChange]) -> EditorLock? { EditorLock(on: changes.map(\.path), in: store) }
}

/// A file that an editor has changed and not saved.
package struct EditorLock: Error, Sendable {
  /// The file.
  package let path: SyncPath
  /// The owner of the editor's lock.
  package let owner: String

  /// The lock on the first of some files of a store that is locked; nil if none is.
  init?(on paths: [SyncPath], in store: any LocalFiles) {
    for path in paths {
      guard let owner = store.editorLock(on: path) else { continue }
      (self.path, self.owner) = (path, owner)
      return
    }
    return nil
  }

  /// Waits until no editor has unsaved changes in some files of a store. Throws the lock if one still has some after `patience`.
  package static func wait(for paths: [SyncPath], in store: any LocalFiles, patience: Duration) async throws {
    let deadline = ContinuousClock.now + patience
    while let lock = EditorLock(on: paths, in: store) {
      guard ContinuousClock.now < deadline else { throw lock }
      try await Task.sleep(for: .milliseconds(100))
    }
  }
}
