internal import SyncKit

/// One batch of changes on its way into the tree.
///
/// What is in the way makes room, then comes what is new, then goes what goes: a version that gets another name is never
/// without one. In each step all contents are staged before the first file is published, so that ten thousand files wait
/// for the disk once.
struct Commit {
  private let tree: OpenTree
  private let intents: IntentJournal
  private let machine: Machine
  private let changes: [Change]
  private var results: [WriteResult?]
  private var closings: [String: [UInt8]?] = [:]
  /// What was interrupted by an error at an unknown step.
  private var unresolved: [Intent] = []
  /// Folders that were made on the way.
  private var newFolders: Set<SyncPath> = []

  init(_ changes: [Change], to tree: OpenTree, _ intents: IntentJournal, on machine: Machine) {
    self.changes = changes
    self.tree = tree
    self.intents = intents
    self.machine = machine
    results = Array(repeating: nil, count: changes.count)
  }

  /// Makes the changes; one result for each.
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
    let works = admitted(step)
    try await intents.open(works.compactMap { $0.intent(.removal, root: tree.id) })
    var settlement = Settlement(tree)
    for work in works { await publish(work, &settlement) }
    settle(&settlement, works)
    tree.removeEmptied(above: works.map(\.path))
  }

  private mutating func write(_ step: [Int]) async throws(SyncError) {
    let works = await staged(admitted(step))
    // If this fails, the journal may know of them all the same: the temporaries are left to the next recovery.
    try await intents.open(
      works.compactMap { $0.intent(.exchange, root: tree.id) }, works.compactMap { $0.evidence(root: tree.id) })
    var settlement = Settlement(tree)
    for folder in newFolders { settlement.touch(folder.parent) }
    for work in works { await publish(work, &settlement) }
    try await withdraw(works)
    settle(&settlement, works)
    tree.removeEmptied(newFolders)
  }

  /// Forgets the evidence of what was not published, before its temporary goes.
  private func withdraw(_ works: [Work]) async throws(SyncError) {
    let keys = works.filter { results[$0.index] != nil }.map { WriteEvidence.key(of: $0.temporary) }
    try await intents.close(Dictionary(keys.map { ($0, nil) }, uniquingKeysWith: { $1 }))
  }

  private mutating func admitted(_ step: [Int]) -> [Work] {
    step.compactMap { index in
      do throws(SyncError) {
        switch try tree.admit(changes[index], index: index, on: machine) {
        case .work(let work): return work
        case .answer(let result): results[index] = result
        }
      } catch { results[index] = .failed(error) }
      return nil
    }
  }
}

// Staging

extension Commit {
  /// Those whose new content is complete and durable under its temporary name.
  private mutating func staged(_ works: [Work]) async -> [Work] {
    var staged: [Work] = []
    for var work in works {
      do throws(SyncError) {
        work.staged = try await stage(work)
        staged.append(work)
      } catch { results[work.index] = .failed(error) }
    }
    let condemned = tree.sync(staged.map { ($0.path.parent, $0.temporary) })
    let (lost, durable) = staged.divided { condemned.contains($0.temporary) }
    for work in lost {
      results[work.index] = .failed(SyncError(.pathFailed, "cannot flush \(work.path) to the disk"))
    }
    discard(lost)
    return durable
  }

  private mutating func stage(_ work: Work) async throws(SyncError) -> FileFacts? {
    guard let content = work.change.content else { return nil }
    guard !Task.isCancelled else { throw SyncError(.cancelled, "the pass was stopped") }
    return try await Staging(tree: tree).write(
      content, to: work.temporary, beside: try madePlace(of: work.path), like: work.present,
      modified: work.change.modified)
  }

  /// Where `path` is, once the folders above it are there.
  private mutating func madePlace(of path: SyncPath) throws(SyncError) -> Place {
    while true {
      do throws(Obstacle) { return try tree.place(of: path) } catch {
        guard case .missing(let folder) = error else { throw error.error }
        try make(folder)
      }
    }
  }

  private mutating func make(_ folder: SyncPath) throws(SyncError) {
    let place: Place
    do throws(Obstacle) { place = try tree.place(of: folder) } catch { throw error.error }
    switch try tree.primitives.createFolder(place) {
    case .done: newFolders.insert(folder)
    case .taken: break
    case .missing, .notSupported:
      throw SyncError(.changedMeanwhile, "the folder above \(folder) was moved during the pass")
    }
  }

  /// Lets go of contents that will not be published; what cannot be discarded the next pass finds.
  private func discard(_ works: [Work]) {
    for work in works {
      if let place = try? tree.place(of: work.path) {
        _ = try? tree.primitives.discard(work.temporary, beside: place)
      }
    }
  }
}

// Publishing

extension Commit {
  /// Lets the change happen. Its result stays open until it is durable.
  private mutating func publish(_ work: Work, _ settlement: inout Settlement) async {
    do throws(SyncError) {
      results[work.index] = try await carryOut(work, at: try place(of: work), &settlement)
    } catch {
      results[work.index] = .unknown(error)
      // Afterwards it is as if the program had crashed here, so that is how it is dealt with.
      let kind: Intent.Kind = work.change.content == nil ? .removal : .exchange
      unresolved += [work.intent(kind, root: tree.id)].compactMap(\.self)
    }
  }

  private func place(of work: Work) throws(SyncError) -> Place {
    do throws(Obstacle) { return try tree.place(of: work.path) } catch { throw error.error }
  }

  private func carryOut(
    _ work: Work, at place: Place, _ settlement: inout Settlement
  ) async throws(SyncError) -> Publication.Ending {
    switch (work.expected, work.change.content?.digest) {
    case (.none, _):
      return try publication(of: work, at: place, nil).create(&settlement)
    case (.some(let expected), .none):
      return try publication(of: work, at: place, .removal).moveAway(expecting: expected, &settlement)
    case (.some(let expected), .some(let new)):
      let publication = publication(of: work, at: place, .exchange)
      if let ending = try publication.exchange(for: new, displacing: expected, &settlement) { return ending }
      return try await replaceAside(work, at: place, &settlement)
    }
  }

  private func publication(of work: Work, at place: Place, _ kind: Intent.Kind?) -> Publication {
    Publication(
      tree: tree, place: place, temporary: work.temporary,
      intent: kind.flatMap { work.intent($0, root: tree.id) })
  }

  /// Replaces a file where the file system cannot exchange: the old version moves away, then the new one moves in. The
  /// name is free for a moment, and the journal knows what belongs there.
  private func replaceAside(
    _ work: Work, at place: Place, _ settlement: inout Settlement
  ) async throws(SyncError) -> Publication.Ending {
    guard let expected = work.expected, let exchange = work.intent(.exchange, root: tree.id) else { return nil }
    var aside = exchange
    aside.kind = .aside
    aside.temporary = Temporary(of: tree.owner, tree.parts.world)
    try await intents.open([aside])
    try await intents.close([exchange.key: nil])
    let old = Publication(tree: tree, place: place, temporary: aside.temporary, intent: aside)
    let new = publication(of: work, at: place, nil)
    // Nothing may be let go of should the second half fail.
    var both = Settlement(tree)
    var ending = try old.moveAway(expecting: expected, &both)
    if ending == nil { ending = try new.create(&both) } else { new.leave(.unpublished, to: &both) }
    settlement.take(both)
    return ending
  }

  private mutating func settle(_ settlement: inout Settlement, _ works: [Work]) {
    let doubtful = settlement.settle()
    closings.merge(settlement.closings) { $1 }
    for work in works where results[work.index] == nil {
      let isDoubtful = ([work.path] + work.path.ancestors).contains { doubtful.contains($0.parent) }
      results[work.index] =
        isDoubtful
        ? .unknown(SyncError(.pathFailed, "cannot flush the folder of \(work.path) to the disk"))
        : .done(entry(of: work))
    }
  }

  /// What is there afterwards. If another program has written to it since, it is described as it was, so that the next listing
  /// sees the difference.
  private func entry(of work: Work) -> Entry? {
    guard let staged = work.staged, let content = work.change.content else { return nil }
    let firmness = tree.firmness
    guard let now = try? place(of: work).facts(), now.sameContent(as: staged) else {
      return staged.entry(at: work.path, digest: content.digest, firmness: firmness)
    }
    var entry = now.entry(at: work.path, digest: content.digest, firmness: firmness)
    entry.isFirm = entry.isFirm || Firmness.covers(made: staged)
    return entry
  }
}

extension Array {
  fileprivate func divided(by isFirst: (Element) -> Bool) -> (first: [Element], second: [Element]) {
    (filter(isFirst), filter { !isFirst($0) })
  }
}
