internal import GitObjects
internal import HTTPStorage
internal import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Makes a commit on GitHub: its objects first, and then the branch moves to it.
struct ObjectWriter: BatchWriter {
  let storage: GitHubStorage

  var refusesFiles: Bool { false }
  private var service: Service { storage.service }

  /// An empty repository takes no objects: its first commit has one file.
  func deferred(_ batch: Batch) -> Set<Int> {
    guard batch.base == nil, let first = batch.files.first(where: { $0.new != nil }) else { return [] }
    return Set(batch.files.map(\.index)).subtracting([first.index])
  }

  func publish(_ batch: Batch) async throws(SyncError) -> Attempt {
    guard let base = batch.base else { return try await begin(batch) }
    let upload = TreeUpload(service: service, cache: storage.cache, bytes: batch.bytes)
    let entries = batch.files.filter { !$0.isReplaced }.map { TreeUpload.Entry(path: $0.path, file: $0.new) }
    guard try await upload.run(entries, on: base.tree) == batch.tree else {
      throw SyncError(
        .unavailable, "\(service.place.address) made another tree than was asked for; the branch was not changed")
    }
    var wish: JSON = [
      "message": .string(batch.message), "tree": .string("\(batch.tree)"), "parents": [.string("\(base.commit)")],
    ]
    wish.add(batch.signature)
    let commit: CommitReply = try await service.ask("POST", "/git/commits", wish)
    guard commit.tree.sha == batch.tree, commit.parents.map(\.sha) == [base.commit] else {
      throw service.nonsense("POST", "/git/commits")
    }
    // Commits that were taken back meanwhile would come back with ours, because it descends from the branch as it is then.
    guard try await storage.branch.refresh() == base else { return .overtaken }
    return try await move(to: Branch.Tip(commit: commit.sha, tree: batch.tree), from: base)
  }

  /// Moves the branch to our commit, unless it has moved meanwhile.
  private func move(to new: Branch.Tip, from base: Branch.Tip) async throws(SyncError) -> Attempt {
    let path = "/git/refs/\(Branch.path(of: try await storage.branch.name()))"
    let wish: JSON = ["sha": .string("\(new.commit)"), "force": false]
    let outcome = try await service.change("PATCH", path, wish)
    if case .answered(let answer) = outcome, [403, 409, 422].contains(answer.status) {
      guard answer.message.hasPrefix("Update is not a fast forward") else { return .declined(answer.message) }
      return .overtaken
    }
    if case .notSent(let error) = outcome {
      guard error.reach == .request else { throw error }
      return .lost(error)
    }
    return try await lookedUp(new, from: base, outcome)
  }

  /// Determines from the present state of the branch if it was moved. Others may have continued from our commit.
  private func lookedUp(
    _ new: Branch.Tip, from base: Branch.Tip, _ outcome: Outcome
  ) async throws(SyncError) -> Attempt {
    let isConfirmed = outcome.isGood && outcome.reference?.object.sha == new.commit
    let now: ObjectID?
    do throws(SyncError) { now = try await storage.branch.state().commit } catch {
      guard !isConfirmed else { return try await finish(new) }
      if error.reach == .pass { throw error }
      return .lost(error)
    }
    if now == new.commit { return try await finish(new) }
    // The answer of GitHub to a read may lag behind the one to our write.
    if now == base.commit {
      return isConfirmed ? try await finish(new) : .lost(outcome.error(at: service.place.address))
    }
    guard let now else { return .lost(outcome.error(at: service.place.address)) }
    switch try await service.api.comparison(new.commit, now) {
    case .ahead, .identical: return try await finish(new)
    case .behind where isConfirmed: return try await finish(new)
    case .behind, .diverged, nil: return .overtaken
    }
  }

  private func finish(_ new: Branch.Tip) async throws(SyncError) -> Attempt {
    try await storage.branch.record(new)
    return .done
  }

  /// Makes the first commit of an empty repository, with one file.
  private func begin(_ batch: Batch) async throws(SyncError) -> Attempt {
    guard let file = batch.files.first, let id = file.new?.id, let bytes = batch.bytes[id] else { return .done }
    var wish: JSON = [
      "message": .string(batch.message), "content": .string(Data(bytes).base64EncodedString()),
      "branch": .string(try await storage.branch.name()),
    ]
    wish.add(batch.signature)
    let outcome = try await service.change(
      "PUT", "/contents/\(PercentCoding.encoded(file.path.bytes, keepsSlashes: true))", wish)
    guard case .answered(let answer) = outcome else { return .lost(outcome.error(at: service.place.address)) }
    // Another device may have been faster: then the conditions are checked again.
    if [409, 422].contains(answer.status) { return .overtaken }
    let reply: FileReply = try service.value(in: answer, "PUT", "/contents")
    guard reply.content.sha == id else { throw service.nonsense("PUT", "/contents") }
    return try await finish(Branch.Tip(commit: reply.commit.sha, tree: reply.commit.tree.sha))
  }
}
