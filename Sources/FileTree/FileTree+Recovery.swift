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

  /// Removes leftovers of this store or remote that the journal does not speak of: contents that were staged and never
  /// published, and scratch files.
  func sweep(_ strays: [SyncPath], in tree: OpenTree) throws(SyncError) {
    for path in strays {
      guard let temporary = Temporary(path.name), temporary.belongs(to: tree.owner), !state.holds(temporary),
        let place = try? tree.place(of: path)
      else { continue }
      _ = try tree.primitives.discard(temporary, beside: place)
    }
  }
}
