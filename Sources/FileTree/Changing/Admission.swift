internal import SyncKit

/// The result of checking a change before anything is done.
enum Admission {
  case admitted(FileChange)
  /// The change has its result already.
  case answer(WriteResult)
}

extension OpenTree {
  /// Checks the location of a change: its condition may already fail, or something else may be there.
  func admit(_ change: Change, index: Int, on machine: Machine) throws(SyncError) -> Admission {
    guard !ReservedName.isTemporary(change.path.name) else {
      return .answer(.cannot("syncd reserves the name \(change.path)"))
    }
    let firmness = firmness
    guard let location = try reachableLocation(of: change) else { return admitAbsent(change, index: index) }
    guard let facts = try location.facts() else {
      // A file beside its stub would be a conflict for the cloud's program.
      if requests.mayHaveStubs, let stub = location.stub() {
        return .answer(.postponed(requests.obstacle(at: change.path, stub: stub)))
      }
      return admitAbsent(change, index: index)
    }
    if facts.isDataless { return .answer(.postponed(requests.obstacle(at: change.path, size: facts.size))) }
    if facts.kind == .folder, change.condition == .absent, change.content != nil, try removeIfEmpty(location) {
      return admitAbsent(change, index: index)
    }
    if let objection = facts.objection {
      throw SyncError(.pathFailed, "\(change.path) is \(objection), not a file")
    }
    guard case .unchanged(let revision) = change.condition else {
      return .answer(.refused(facts.entry(at: change.path, firmness: firmness)))
    }
    if EmacsLock(beside: location)?.isHeld(on: machine) == true {
      return .answer(.postponed("\(change.path) is open in Emacs with unsaved changes"))
    }
    return try admit(change, index: index, at: location, facts, under: revision, firmness)
  }

  /// Returns the location, or nil if its folder does not exist.
  private func reachableLocation(of change: Change) throws(SyncError) -> FileLocation? {
    // A folder that is created meanwhile is found when the file is staged.
    if let missing, change.path.isInside(missing) { return nil }
    do throws(Obstacle) { return try location(of: change.path) } catch {
      if case .missing(let folder) = error {
        missing = folder
        return nil
      }
      if error.provesAbsence, change.condition != .absent { return nil }
      throw error.error
    }
  }

  private func admitAbsent(_ change: Change, index: Int) -> Admission {
    switch (change.condition, change.content) {
    case (.unchanged, _): .answer(.refused(nil))
    case (.absent, nil): .answer(.done(nil))
    case (.absent, _): .admitted(admitted(change, index: index, expected: nil, present: nil))
    }
  }

  /// Checks the condition: a change that names the content that it replaces by content, any other by revision.
  private func admit(
    _ change: Change, index: Int, at location: FileLocation, _ facts: FileFacts, under revision: Revision,
    _ firmness: Firmness
  ) throws(SyncError) -> Admission {
    let fits = change.replaced.map { $0.size == facts.size } ?? (facts.revision == revision)
    guard fits else { return .answer(.refused(facts.entry(at: change.path, firmness: firmness))) }
    let expected: Digest
    if let replaced = change.replaced, replaced.digest != change.content?.digest, facts.revision == revision {
      expected = replaced.digest
    } else {
      let reading = try FileReading(of: location.name, at: location)
      guard reading.facts == facts else { return .answer(.refused(try entry(at: location))) }
      expected = try reading.stableDigest()
      if expected == change.content?.digest {
        return .answer(.done(facts.entry(at: change.path, digest: expected, firmness: firmness)))
      }
      guard change.replaced.map({ $0.digest == expected }) ?? true else {
        return .answer(.refused(try entry(at: location)))
      }
    }
    return .admitted(admitted(change, index: index, expected: expected, present: facts))
  }

  private func admitted(_ change: Change, index: Int, expected: Digest?, present: FileFacts?) -> FileChange {
    FileChange(
      index: index, change: change, temporary: temporary(), expected: expected,
      present: present)
  }
}
