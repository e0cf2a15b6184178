public import SyncKit

extension FileTree {
  /// Finishes or undoes whatever a crash interrupted, checks replaced files that were open for writing, and
  /// lets the next listing remove leftovers. Costs one read of the journal when there is nothing to do.
  public func recover() async throws(SyncError) {
    guard let tree = try openIfThere() else { return }
    try await examineEvidence(in: tree)
    let open = try await intents.intents(of: tree.id)
    if !open.isEmpty {
      let (closings, lost) = try Recovery(tree: tree).run(open)
      try await intents.close(closings)
      state.lose(lost)
    }
    try await learnNaming(of: tree)
    state.allowSweep()
  }

  /// The tree, or nil if its root is not there: then nothing can be said of it.
  private func openIfThere() throws(SyncError) -> OpenTree? {
    do throws(SyncError) { _ = try openRoot() } catch {
      if error.code == .notFound { return nil }
      throw error
    }
    return try open()
  }

  /// Deals with the temporaries that a listing met, the first one after a recovery.
  ///
  /// - Parameter isWhole: whether there are no others.
  func tidy(_ strays: [SyncPath], isWhole: Bool) async throws(SyncError) {
    let lost = state.takeLost()
    guard !lost.isEmpty || !strays.isEmpty else { return }
    let tree = try open()
    try await settle(lost, among: strays, isWhole: isWhole, in: tree)
    await sweep(strays, in: tree)
  }

  /// Continues where a folder was renamed since: its temporary files moved with it, and
  /// another program may have written to them. Only files that are nowhere were removed with their folder.
  private func settle(
    _ lost: [Intent], among strays: [SyncPath], isWhole: Bool, in tree: OpenTree
  ) async throws(SyncError) {
    var moved: [Intent] = []
    var closings: [String: [UInt8]?] = [:]
    for intent in lost {
      if let path = strays.first(where: { Temporary($0.name) == intent.temporary })?.sibling(intent.path.name) {
        var intent = intent
        intent.path = path
        moved.append(intent)
      } else if isWhole {
        closings.updateValue(nil, forKey: intent.key)
      }
    }
    if !moved.isEmpty { closings.merge(try Recovery(tree: tree).run(moved).closings) { $1 } }
    try await intents.close(closings)
  }

  /// Removes leftovers that the journal does not speak of: contents that were staged and never published, and scratch
  /// files. What cannot be removed now the next pass meets again.
  private func sweep(_ strays: [SyncPath], in tree: OpenTree) async {
    for path in strays {
      guard let temporary = Temporary(path.name), !state.holds(temporary), let location = try? tree.location(of: path),
        (try? await mayGo(temporary, at: location, in: tree)) == true
      else { continue }
      _ = try? tree.primitives.discard(temporary, beside: location)
    }
  }

  /// Another instance may be using its own, and only its journal knows their content; after a day it has been given
  /// up. A journal may have been lost, so the content is stored in the history first, and waits while a program has
  /// it open for writing.
  private func mayGo(_ temporary: Temporary, at location: FileLocation, in tree: OpenTree) async throws(SyncError)
    -> Bool
  {
    let yesterday = parts.runtime.now().nanoseconds - 86_400_000_000_000
    guard let facts = try location.facts(), temporary.belongs(to: tree.owner) || facts.changed < yesterday else {
      return false
    }
    guard facts.kind == .file else { return true }
    let reading = try FileReading(of: location.name, at: location)
    guard reading.hasNoWriter() else { return false }
    _ = try await reading.pour(into: parts.contents.intake(keepingAtMost: .max))
    try await parts.contents.flush()
    return true
  }
}
