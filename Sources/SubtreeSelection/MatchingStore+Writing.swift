internal import OrgKit
package import SyncKit

extension MatchingStore {
  package func commit(_ changes: [Change]) async throws(SyncError) -> [WriteResult] {
    var steps: [Step] = []
    for change in changes { steps.append(try await step(for: change)) }
    let pending = steps.compactMap(\.pending)
    try await keep(pending.compactMap(\.replaced))
    var results = pending.isEmpty ? [][...] : try await store.commit(pending.map(\.change))[...]
    return try steps.map { step throws(SyncError) in
      switch step {
      case .done(let result): return result
      case .pending(let write):
        guard let result = results.popFirst() else {
          throw SyncError(.unexpected, "\(store.address) returned too few results (backend bug); ignored")
        }
        if case .done = result {
          let before = write.replaced.map { Digest(of: $0.bytes) }
          files.replaced(before, by: write.change.content?.digest, at: write.change.path)
        }
        return write.presented(result)
      }
    }
  }

  /// The way to make one change.
  private enum Step {
    /// Nothing is to be written.
    case done(WriteResult)
    case pending(PendingWrite)

    var pending: PendingWrite? { if case .pending(let write) = self { write } else { nil } }
  }

  /// A change of a whole file.
  private struct PendingWrite {
    var change: Change
    /// The whole file that is replaced.
    var replaced: WholeFile?
    /// The digest of the part of the new content that matches; nil if nothing does, so that the file is absent.
    var presented: Digest?
    /// The digest of the content that the change was to write; nil for a removal.
    var wanted: Digest?

    /// Returns the result for the part. A revision under which the part is not what was to be written is not firm: the next
    /// pass reads it, and the remote gets it.
    func presented(_ result: WriteResult) -> WriteResult {
      guard case .done(let entry) = result else { return result }
      guard let wanted, var present = entry else { return .done(nil) }
      present.digest = presented ?? .empty
      present.isFirm = present.isFirm && presented == wanted
      return .done(present)
    }
  }

  private func step(for change: Change) async throws(SyncError) -> Step {
    guard MatchRule.applies(to: change.path) else {
      return .done(.cannot("only Org files are synced with a remote that has `match`"))
    }
    let edited: [UInt8]?
    do throws(SyncError) { edited = try await change.content?.bytes(atMost: MatchRule.largestFile) } catch {
      guard error.code == .pathFailed else { throw error }
      return .done(.failed(error))
    }
    switch try await whole(change.path) {
    case .absent:
      guard case .absent = change.condition else { return .done(.refused(nil)) }
      return try await newFile(edited, change)
    case .postponed(let reason): return .done(.postponed(reason))
    case .failed(let error): return .done(.failed(error))
    case .uncertain(_, let reason): return .done(.postponed("the store has \(reason)"))
    case .file(let file): return replacement(in: file, by: edited, change)
    }
  }

  private func newFile(_ edited: [UInt8]?, _ change: Change) async throws(SyncError) -> Step {
    guard let edited else { return .done(.done(nil)) }
    return .pending(
      PendingWrite(change: change, replaced: nil, presented: presented(edited), wanted: Digest(of: edited)))
  }

  private func replacement(in file: WholeFile, by edited: [UInt8]?, _ change: Change) -> Step {
    let present = file.part.isEmpty ? nil : file.entry.presenting(file.part.bytes.count)
    switch change.condition {
    case .absent where present != nil: return .done(.refused(present))
    case .unchanged(let revision) where present == nil || file.entry.revision != revision:
      return .done(.refused(present))
    case .unchanged where change.replaced.map { $0.digest != Digest(of: file.part.bytes) } ?? false:
      // The revision is the same within the granularity of the clock, but the content is not.
      return .done(.refused(present))
    default: break
    }
    let content: [UInt8]?
    switch file.part.replaced(by: edited) {
    case .refused(let reason): return .done(.cannot("the edit cannot be put into the whole file: \(reason)"))
    case .removed: content = nil
    case .file(let bytes): content = bytes
    }
    let new = Change(
      path: change.path, content: content.map { Content($0) }, condition: .unchanged(file.entry.revision),
      replaced: Content(file.bytes), modified: change.modified)
    let write = PendingWrite(
      change: new, replaced: file, presented: content.flatMap(presented), wanted: edited.map { Digest(of: $0) })
    if content == file.bytes { return .done(write.presented(.done(file.entry))) }
    return .pending(write)
  }

  /// Returns the digest of the part of a file that matches; nil if nothing does.
  private func presented(_ file: [UInt8]) -> Digest? {
    switch OrgPart.select(rule.match, in: file) {
    case .part(let part): Digest(of: part.bytes)
    case .nothing, .uncertain: nil
    }
  }

  /// Keeps whole files in the history before they are replaced.
  private func keep(_ files: [WholeFile]) async throws(SyncError) {
    guard !files.isEmpty else { return }
    let sink = parts.contents.intake(keepingAtMost: .max)
    var versions: [Version] = []
    for file in files {
      let digest = try await sink.receive(file.bytes)
      versions.append(Version(remote: parts.name, path: file.entry.path, digest: digest, side: .local))
    }
    try await parts.contents.flush()
    try await parts.contents.keep(versions)
  }
}
