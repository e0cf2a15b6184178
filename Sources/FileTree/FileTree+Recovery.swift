public import SyncKit

extension FileTree {
  /// Finishes or undoes what a crash interrupted, checks replaced files that were open for writing, and allows the next listing
  /// to remove leftovers. Costs one read of the journal if there is nothing to do.
  public func recover() async throws(SyncError) {
    requests.allow()
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

  /// The tree below whichever root is there now, or nil if there is none: a disk may have been mounted again since the last
  /// pass, under another number. What is recovered names its root.
  private func openIfThere() throws(SyncError) -> OpenTree? {
    do throws(SyncError) {
      let root = try openRoot()
      return OpenTree(root, id: try identity(of: root).id ?? "", of: self)
    } catch {
      if error.code == .notFound { return nil }
      throw error
    }
  }

  /// Handles the temporaries in the first listing after a recovery.
  ///
  /// - Parameter isWhole: true if these are all.
  func tidy(_ strays: [SyncPath], isWhole: Bool) async throws(SyncError) {
    let lost = state.takeLost()
    guard !lost.isEmpty || !strays.isEmpty else { return }
    let tree = try open()
    try await settle(lost, among: strays, isWhole: isWhole, in: tree)
    await sweep(strays, in: tree)
  }

  /// Continues intents whose folder was renamed: its temporaries moved with it, and another program may have written to them.
  /// Files that are nowhere were removed with their folder.
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

  /// Removes leftovers that the journal does not list: contents that were staged but never published, and scratch files. If one
  /// cannot be removed now, the next pass tries again.
  private func sweep(_ strays: [SyncPath], in tree: OpenTree) async {
    for path in strays {
      guard let temporary = Temporary(path.name), !state.holds(temporary), let location = try? tree.location(of: path),
        (try? await mayGo(temporary, at: location, in: tree)) == true
      else { continue }
      _ = try? tree.primitives.discard(temporary, beside: location)
    }
  }

  /// Returns true if a temporary may be removed. Another instance may be using it, and only that instance's journal lists it,
  /// so it must be a day old. The journal may have been lost, so the content is first stored in the history, and the temporary
  /// stays while a program has it open for writing.
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
