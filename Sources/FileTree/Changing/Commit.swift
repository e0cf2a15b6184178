internal import SyncKit

/// One batch of changes to the tree.
///
/// Files in the way are removed first, then new files are written, then the other files are removed: a version that gets
/// another name always has one. In each step all contents are staged before the first file is published, so that ten thousand
/// files wait only once for the disk.
struct Commit {
  private let tree: OpenTree
  private let intents: IntentJournal
  private let machine: Machine
  private let changes: [Change]
  private var results: [WriteResult?]
  private var closings: [String: [UInt8]?] = [:]
  /// The intents that an error interrupted at an unknown step.
  private var unresolved: [Intent] = []
  /// The folders that were created.
  private var newFolders: Set<SyncPath> = []
  private var renames: Renames

  init(_ changes: [Change], to tree: OpenTree, _ intents: IntentJournal, on machine: Machine) {
    self.changes = changes
    self.tree = tree
    self.intents = intents
    self.machine = machine
    renames = Renames(among: changes, in: tree, on: machine)
    results = Array(repeating: nil, count: changes.count)
  }

  /// Makes the changes; returns one result for each.
  mutating func run() async throws(SyncError) -> [WriteResult] {
    for step in changes.steps where !step.isEmpty {
      if changes[step[0]].content == nil { try await remove(step) } else { try await write(step) }
      tree.forget()
    }
    if !unresolved.isEmpty { closings.merge(try Recovery(tree: tree).run(unresolved).closings) { $1 } }
    try await intents.close(closings)
    return results.map { $0 ?? .failed(SyncError(.unexpected, "the change was not made")) }
  }

  private mutating func remove(_ step: [Int]) async throws(SyncError) {
    let others = admitted(step.filter { renames.removal(at: $0) == nil })
    try await intents.open(others.compactMap { $0.intent(.removal, root: tree.id) })
    let files = step.compactMap { renames.removal(at: $0) } + others
    var cleanup = Cleanup(tree)
    for file in files { await publish(file, &cleanup) }
    finish(&cleanup, files)
    // A file has other facts when it has lost its old name.
    for file in renames.creations { results[file.index] = .done(entry(of: file)) }
    tree.removeEmptied(above: files.map(\.path))
  }

  private mutating func write(_ step: [Int]) async throws(SyncError) {
    let files = await staged(admitted(step))
    // If this fails, the journal may have the records anyway: the next recovery handles the temporaries.
    try await intents.open(
      files.compactMap { $0.intent(.exchange, root: tree.id) }
        + renames.removals(of: files).compactMap { $0.intent(.removal, root: tree.id) },
      files.compactMap { $0.evidence(root: tree.id) })
    var cleanup = Cleanup(tree)
    for folder in newFolders { cleanup.touch(folder.parent) }
    for file in files { await publish(file, &cleanup) }
    try await withdraw(files)
    finish(&cleanup, files)
    for file in files { if case .done = results[file.index] { renames.publish(file) } }
    for removal in renames.dropUnpublished() {
      if let intent = removal.intent(.removal, root: tree.id) { closings.updateValue(nil, forKey: intent.key) }
    }
    tree.removeEmptied(newFolders)
  }

  /// Removes the evidence of contents that were not published, before their temporaries are removed.
  private func withdraw(_ files: [FileChange]) async throws(SyncError) {
    let keys = files.filter { results[$0.index] != nil }.map { WriteEvidence.key(of: $0.temporary) }
    try await intents.close(Dictionary(keys.map { ($0, nil) }, uniquingKeysWith: { $1 }))
  }

  private mutating func admitted(_ step: [Int]) -> [FileChange] {
    step.compactMap { index in
      do throws(SyncError) {
        switch try tree.admit(changes[index], index: index, on: machine) {
        case .admitted(let file): return file
        case .answer(let result): results[index] = result
        }
      } catch {
        // The content of the file, or of a folder above it, has left this machine.
        results[index] =
          error.code == .unavailable ? .postponed(tree.requests.obstacle(at: changes[index].path)) : .failed(error)
      }
      return nil
    }
  }
}

// Staging

extension Commit {
  /// Returns the changes whose new content is complete and durable in its temporary.
  private mutating func staged(_ files: [FileChange]) async -> [FileChange] {
    var staged: [FileChange] = []
    for var file in files {
      do throws(SyncError) {
        file.staged = try await stage(file)
        staged.append(file)
      } catch { results[file.index] = .failed(error) }
    }
    let condemned = tree.sync(staged.map { ($0.path.parent, $0.temporary) })
    let (lost, durable) = staged.divided { condemned.contains($0.temporary) }
    for file in lost {
      results[file.index] = .failed(SyncError(.pathFailed, "cannot flush \(file.path) to the disk"))
    }
    discard(lost)
    return durable
  }

  private mutating func stage(_ file: FileChange) async throws(SyncError) -> FileFacts? {
    guard let content = file.change.content else { return nil }
    guard !Task.isCancelled else { throw SyncError(.cancelled, "the pass was stopped") }
    let location = try createdLocation(of: file.path)
    if let renamed = try renames.stage(file, at: location) { return renamed }
    return try await Staging(tree: tree).write(
      content, to: file.temporary, beside: location, like: file.present, modified: file.change.modified)
  }

  /// Returns the location of `path`, and creates the missing parent folders.
  private mutating func createdLocation(of path: SyncPath) throws(SyncError) -> FileLocation {
    while true {
      do throws(Obstacle) { return try tree.location(of: path) } catch {
        guard case .missing(let folder) = error else { throw error.error }
        try make(folder)
      }
    }
  }

  private mutating func make(_ folder: SyncPath) throws(SyncError) {
    let location: FileLocation
    do throws(Obstacle) { location = try tree.location(of: folder) } catch { throw error.error }
    switch try tree.primitives.createFolder(location) {
    case .done: newFolders.insert(folder)
    case .taken: break
    case .missing, .notSupported:
      throw SyncError(.changedMeanwhile, "the folder above \(folder) was moved during the pass")
    }
  }

  /// Discards contents that will not be published; the next pass finds those that cannot be removed.
  private func discard(_ files: [FileChange]) {
    for file in files {
      if let location = try? tree.location(of: file.path) {
        _ = try? tree.primitives.discard(file.temporary, beside: location)
      }
    }
  }
}

// Publishing

extension Commit {
  /// Makes the change. Its result stays open until it is durable.
  private mutating func publish(_ file: FileChange, _ cleanup: inout Cleanup) async {
    do throws(SyncError) {
      results[file.index] = try await carryOut(file, at: try location(of: file), &cleanup)
    } catch {
      results[file.index] = .unknown(error)
      // The state is now the same as after a crash, and is handled in the same way.
      let kind: Intent.Kind = file.change.content == nil ? .removal : .exchange
      unresolved += [file.intent(kind, root: tree.id)].compactMap(\.self)
    }
  }

  private func location(of file: FileChange) throws(SyncError) -> FileLocation {
    do throws(Obstacle) { return try tree.location(of: file.path) } catch { throw error.error }
  }

  private func carryOut(
    _ file: FileChange, at location: FileLocation, _ cleanup: inout Cleanup
  ) async throws(SyncError) -> PublicationResult {
    switch (file.expected, file.change.content?.digest) {
    case (.none, _):
      return try publication(of: file, at: location, nil).create(&cleanup)
    case (.some(let expected), .none):
      return try publication(of: file, at: location, .removal).moveAway(expecting: expected, &cleanup)
    case (.some(let expected), .some(let new)):
      let publication = publication(of: file, at: location, .exchange)
      if let result = try publication.exchange(for: new, displacing: expected, &cleanup) { return result }
      return try await replaceAside(file, at: location, &cleanup)
    }
  }

  private func publication(of file: FileChange, at location: FileLocation, _ kind: Intent.Kind?) -> Publication {
    Publication(
      tree: tree, location: location, temporary: file.temporary,
      intent: kind.flatMap { file.intent($0, root: tree.id) })
  }

  /// Replaces a file if the file system cannot exchange: the old version is moved away, then the new one is moved in. The name
  /// is free for a moment, and the journal records which file belongs there.
  private func replaceAside(
    _ file: FileChange, at location: FileLocation, _ cleanup: inout Cleanup
  ) async throws(SyncError) -> PublicationResult {
    guard let expected = file.expected, let exchange = file.intent(.exchange, root: tree.id) else { return nil }
    var aside = exchange
    aside.kind = .aside
    aside.temporary = tree.temporary()
    try await intents.open([aside])
    try await intents.close([exchange.key: nil])
    let old = Publication(tree: tree, location: location, temporary: aside.temporary, intent: aside)
    let new = publication(of: file, at: location, nil)
    // If the second half fails, nothing may be discarded.
    var both = Cleanup(tree)
    var result = try old.moveAway(expecting: expected, &both)
    if result == nil { result = try new.create(&both) } else { new.leave(.unpublished, to: &both) }
    cleanup.add(both)
    return result
  }

  private mutating func finish(_ cleanup: inout Cleanup, _ files: [FileChange]) {
    let doubtful = cleanup.finish()
    closings.merge(cleanup.closings) { $1 }
    for file in files where results[file.index] == nil {
      let isDoubtful = ([file.path] + file.path.ancestors).contains { doubtful.contains($0.parent) }
      results[file.index] =
        isDoubtful
        ? .unknown(SyncError(.pathFailed, "cannot flush the folder of \(file.path) to the disk"))
        : .done(entry(of: file))
    }
  }

  /// Returns the entry of the published file. If another program has written to it since, this is still the published version,
  /// so that the next listing shows the difference.
  private func entry(of file: FileChange) -> Entry? {
    guard let staged = file.staged, let content = file.change.content else { return nil }
    let firmness = tree.firmness
    guard let now = try? location(of: file).facts(), now.sameContent(as: staged) else {
      return staged.entry(at: file.path, digest: content.digest, firmness: firmness)
    }
    var entry = now.entry(at: file.path, digest: content.digest, firmness: firmness)
    entry.isFirm = entry.isFirm || Firmness.covers(made: staged)
    return entry
  }
}

extension Array {
  fileprivate func divided(by isFirst: (Element) -> Bool) -> (first: [Element], second: [Element]) {
    (filter(isFirst), filter { !isFirst($0) })
  }
}
