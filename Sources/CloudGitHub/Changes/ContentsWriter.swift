internal import GitObjects
internal import HTTPStorage
internal import SyncKit

/// Makes a commit on Forgejo or Gitea: one request with all files, each with the version that it replaces. The server makes none of
/// it unless all these versions are the present ones; commits of others to other files do not matter to it.
struct ContentsWriter: BatchWriter {
  let storage: GitHubStorage

  var refusesFiles: Bool { true }
  private var service: Service { storage.service }

  /// Forgejo checks each path against the branch as it is, and not as the other files of the request leave it.
  func deferred(_ batch: Batch) -> Set<Int> { Set(batch.files.filter(\.isBlocked).map(\.index)) }

  func publish(_ batch: Batch) async throws(SyncError) -> Attempt {
    var wish: JSON = [
      "branch": .string(try await storage.branch.name()), "message": .string(batch.message),
      "files": .array(FileOperation.plan(batch.files).map { $0.json(batch.bytes) }),
    ]
    wish.add(batch.signature)
    let outcome = try await service.change("POST", "/contents", wish)
    if case .notSent(let error) = outcome {
      guard error.reach == .request else { throw error }
      return .lost(error)
    }
    guard let commit = outcome.commit, commit.parents.map(\.sha) == batch.parents, commit.tree.sha == batch.tree else {
      return try await lookedUp(batch, outcome)
    }
    try await storage.branch.record(Branch.Tip(commit: commit.sha, tree: commit.tree.sha))
    return .done
  }

  /// Determines from the present state of the branch what became of the batch, which is there as a whole or not at all. The answer
  /// may be lost, others may have made commits before ours or after it, and a refusal does not say of which file it is.
  private func lookedUp(_ batch: Batch, _ outcome: Outcome) async throws(SyncError) -> Attempt {
    let now: Branch.Tip?
    do throws(SyncError) {
      now = try await storage.branch.refresh()
      if let now { try await storage.loading.load(now.tree) }
    } catch {
      if error.reach == .pass { throw error }
      return .lost(error)
    }
    guard let now, now != batch.base else { return unmade(outcome) }
    let edit = try storage.edit(of: now.tree)
    for file in batch.files {
      guard try edit.holds(file.new, at: file.path) else { return .overtaken }
    }
    return .done
  }

  /// The result if the branch has not moved. A server that is busy, or a proxy that does not know, may still carry the request out.
  private func unmade(_ outcome: Outcome) -> Attempt {
    guard case .answered(let answer) = outcome, (400...500).contains(answer.status) else {
      return .lost(outcome.error(at: service.place.address))
    }
    switch answer.status {
    case 404, 405:
      return .declined(
        "HTTP \(answer.status) \(answer.message); it may lack the request for several files, which Gitea has since 1.20"
      )
    case 413:
      return .declined(
        "HTTP 413 \(answer.message); the quota is used up, or the request is too large for a proxy in front of the server"
      )
    default: return .declined("HTTP \(answer.status) \(answer.message)")
    }
  }
}

extension Batch {
  /// The parents of its commit, if no other writer is faster.
  fileprivate var parents: [ObjectID] {
    if let base { [base.commit] } else { [] }
  }
}

extension Outcome {
  /// The commit in the answer; nil if it has none.
  fileprivate var commit: CommitReply? {
    guard case .answered(let answer) = self, answer.isGood else { return nil }
    return answer.value(ForgejoReply.Contents.self)?.commit
  }
}

extension TreeEdit {
  /// True if the tree has this file at the path, or none.
  fileprivate func holds(_ file: GitTree.Entry?, at path: SyncPath) throws(SyncError) -> Bool {
    switch try item(path) {
    case .entry(let entry): entry.id == file?.id
    case .nothing, .blocked: file == nil
    }
  }
}
