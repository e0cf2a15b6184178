internal import GitObjects
internal import HTTPStorage
internal import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Turns a batch of changes into one commit of the branch.
struct Publishing {
  let storage: GitHubStorage
  let changes: [Change]

  /// The number of attempts if other writers are faster; the next pass continues.
  private static let attempts = 5

  private var service: Service { storage.service }

  /// The result of an attempt to move the branch.
  enum Attempt: Sendable {
    case done
    /// Another commit was faster.
    case overtaken
    /// GitHub does not allow it: a protected branch, a rule.
    case declined(String)
    /// It is unknown if the branch was moved.
    case lost(SyncError)
  }

  /// Makes the changes whose conditions hold. If another commit was faster, repeats this on top of it, for the changes whose
  /// conditions still hold.
  func run() async throws(SyncError) -> [WriteResult] {
    let limit = storage.settings.maxFileSize.bytes
    let staging = try await Staging(changes) { size in size > limit ? storage.tooLarge(size) : nil }
    for _ in 0..<Self.attempts {
      guard let base = try await storage.branch.refresh() else {
        if let results = try await begin(staging) { return results }
        continue
      }
      try await storage.loading.load(base.tree)
      let trees = TreeCollector()
      let proposal = try proposal(staging, on: base, trees)
      // Changes without effect, such as removing a file that is gone, need no commit.
      guard !proposal.files.isEmpty else { return proposal.results(of: changes, staging.contents) }
      let tree = try proposal.edit.write()
      switch try await publish(proposal, tree, on: base, staging) {
      case .done:
        for (id, tree) in trees.trees { storage.cache.add(tree, as: id) }
        storage.cache.add(sizes: staging.bytes.mapValues(\.count))
        return proposal.results(of: changes, staging.contents)
      case .overtaken: continue
      case .declined(let reason): return proposal.results.map { $0 ?? .failed(declined(reason)) }
      case .lost(let error): return proposal.results.map { $0 ?? .unknown(error) }
      }
    }
    return changes.map { _ in
      .postponed(
        "others committed to \(storage.address) first, \(Self.attempts) times in a row; the next pass tries again")
    }
  }

  private func declined(_ reason: String) -> SyncError {
    SyncError(.pathFailed, "\(service.place.address) does not accept commits of this token: \(reason)")
  }

  private func proposal(
    _ staging: Staging, on base: Branch.Tip, _ trees: TreeCollector
  ) throws(SyncError) -> Proposal {
    let cache = storage.cache
    let edit = try TreeEdit(
      base.tree,
      in: TreeEdit.Store(
        read: { id throws(SyncError) in try cache.tree(id) },
        write: { tree throws(SyncError) in trees.add(tree) }))
    return try Proposal(
      changes, staging.contents, to: edit, storage.walk(base, since: Known()).attributes, GitHubStorage.naming)
  }

  /// The trees of an edit, which GitHub will have if it makes the same.
  private final class TreeCollector {
    private(set) var trees: [ObjectID: GitTree] = [:]

    func add(_ tree: GitTree) -> ObjectID {
      let id = tree.id
      trees[id] = tree
      return id
    }
  }

  // MARK: One attempt

  private func publish(
    _ proposal: Proposal, _ tree: ObjectID, on base: Branch.Tip, _ staging: Staging
  ) async throws(SyncError) -> Attempt {
    let entries = try entries(of: proposal)
    let upload = TreeUpload(service: service, cache: storage.cache, bytes: staging.bytes)
    guard try await upload.run(entries, on: base.tree) == tree else {
      throw SyncError(
        .unavailable, "\(service.place.address) made another tree than was asked for; the branch was not changed")
    }
    let message = CommitMessage(files: proposal.files, device: storage.device.name).text
    var wish: JSON = [
      "message": .string(message), "tree": .string("\(tree)"), "parents": [.string("\(base.commit)")],
    ]
    wish.add(signature)
    let commit: CommitReply = try await service.ask("POST", "/git/commits", wish)
    guard commit.tree.sha == tree, commit.parents.map(\.sha) == [base.commit] else {
      throw service.nonsense("POST", "/git/commits")
    }
    // Commits that were taken back meanwhile would come back with ours, because it descends from the branch as it is then.
    guard try await storage.branch.refresh() == base else { return .overtaken }
    return try await move(to: Branch.Tip(commit: commit.sha, tree: tree), from: base)
  }

  /// The author in the settings. Without one, GitHub names the owner of the token.
  private var signature: JSON {
    guard let author = storage.settings.author.flatMap({ Identity($0) }) else { return [:] }
    let person: JSON = ["name": .string(author.name), "email": .string(author.mail)]
    return ["author": person, "committer": person]
  }

  /// The files that differ between the branch and the edited tree.
  private func entries(of proposal: Proposal) throws(SyncError) -> [TreeUpload.Entry] {
    var entries: [TreeUpload.Entry] = []
    for (index, change) in changes.enumerated() where proposal.results[index] == nil {
      switch try proposal.edit.item(change.path) {
      case .entry(let entry) where entry.mode.isFile:
        entries.append(TreeUpload.Entry(path: change.path, file: entry))
      case .nothing: entries.append(TreeUpload.Entry(path: change.path, file: nil))
      // Something was written in its place, or in the place of its folder, which removes it.
      case .entry, .blocked: break
      }
    }
    return entries
  }

  // MARK: The branch

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
    switch try await storage.branch.history.comparison(new.commit, now) {
    case .ahead, .identical: return try await finish(new)
    case .behind where isConfirmed: return try await finish(new)
    case .behind, .diverged, nil: return .overtaken
    }
  }

  private func finish(_ new: Branch.Tip) async throws(SyncError) -> Attempt {
    try await storage.branch.record(new)
    return .done
  }

  // MARK: An empty repository

  /// Makes the first commit, with one of the files, because an empty repository takes no objects. Returns the results if no
  /// change can be made; nil to make the others on top of it.
  private func begin(_ staging: Staging) async throws(SyncError) -> [WriteResult]? {
    guard try await storage.branch.state() == .empty else {
      throw SyncError(.notFound, "the branch of \(service.place.address) does not exist")
    }
    let edit = try TreeEdit(
      nil, in: TreeEdit.Store(read: { _ throws(SyncError) in GitTree() }, write: { tree throws(SyncError) in tree.id }))
    let proposal = try Proposal(changes, staging.contents, to: edit, Attributes(), GitHubStorage.naming)
    guard let index = changes.indices.first(where: { proposal.results[$0] == nil }),
      case .success(let content)? = staging.contents[index], let bytes = staging.bytes[content.id]
    else { return proposal.results(of: changes, staging.contents) }
    let path = changes[index].path
    var wish: JSON = [
      "message": .string(CommitMessage(files: [(.add, path)], device: storage.device.name).text),
      "content": .string(Data(bytes).base64EncodedString()), "branch": .string(try await storage.branch.name()),
    ]
    wish.add(signature)
    let outcome = try await service.change(
      "PUT", "/contents/\(PercentCoding.encoded(path.bytes, keepsSlashes: true))", wish)
    if case .answered(let answer) = outcome {
      // Another device may have been faster: then the conditions are checked again.
      if [409, 422].contains(answer.status) { return nil }
      let reply: FileReply = try service.value(in: answer, "PUT", "/contents")
      guard reply.content.sha == content.id else { throw service.nonsense("PUT", "/contents") }
      try await storage.branch.history.record(ours: reply.commit.sha)
      return try await others(than: index, proposal.results(of: changes, staging.contents)[index])
    }
    return proposal.results.map { $0 ?? .unknown(outcome.error(at: service.place.address)) }
  }

  /// Makes the other changes, and returns the results of all.
  private func others(than index: Int, _ result: WriteResult) async throws(SyncError) -> [WriteResult] {
    var rest = changes
    rest.remove(at: index)
    var results = rest.isEmpty ? [] : try await Publishing(storage: storage, changes: rest).run()
    results.insert(result, at: index)
    return results
  }
}
