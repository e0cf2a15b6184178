public import SyncKit

extension FileTree {
  /// Finishes or undoes whatever a crash interrupted, looks again at displaced files that were open for writing, and
  /// lets the next listing remove leftovers. Costs one look into the journal when there is nothing to do.
  public func recover() async throws(SyncError) {
    guard let tree = try openIfThere() else { return }
    let open = try await intents.intents(of: tree.id)
    if !open.isEmpty { try await intents.close(Recovery(tree: tree).run(open)) }
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

  /// Removes leftovers that the journal does not speak of: contents that were staged and never published, and scratch
  /// files. What cannot be removed now the next pass meets again.
  func sweep(_ strays: [SyncPath], in tree: OpenTree) async {
    for path in strays {
      guard let temporary = Temporary(path.name), !state.holds(temporary), let place = try? tree.place(of: path),
        (try? await mayGo(temporary, at: place, in: tree)) == true
      else { continue }
      _ = try? tree.primitives.discard(temporary, beside: place)
    }
  }

  /// Another program may be at work on its own, and only its journal knows what they hold. After a day it has been given
  /// up, and then its content goes to the history first.
  private func mayGo(_ temporary: Temporary, at place: Place, in tree: OpenTree) async throws(SyncError) -> Bool {
    if temporary.belongs(to: tree.owner) { return true }
    let yesterday = parts.world.now().nanoseconds - 86_400_000_000_000
    guard let facts = try place.facts(), facts.changed < yesterday else { return false }
    guard facts.kind == .file else { return true }
    let reading = try FileReading(of: place.name, at: place)
    _ = try await reading.pour(into: parts.contents.intake(keepingAtMost: .max))
    try await parts.contents.flush()
    return true
  }
}
