internal import GitObjects
internal import HTTPStorage
internal import SyncKit

/// Turns a batch of changes into one commit of the branch.
struct Publishing {
  let storage: GitHubStorage
  let changes: [Change]
  private let refusals: RefusalLimit

  /// The number of attempts if other writers are faster; the next pass continues.
  private static let attempts = 5

  private var service: Service { storage.service }

  init(storage: GitHubStorage, changes: [Change], refusals: RefusalLimit = RefusalLimit()) {
    self.storage = storage
    self.changes = changes
    self.refusals = refusals
  }

  /// Makes the changes whose conditions hold. If another commit was faster, repeats this on top of it, for the changes whose
  /// conditions still hold.
  func run() async throws(SyncError) -> [WriteResult] {
    let limit = storage.largestFile
    let staging = try await Staging(changes) { size in size > limit ? storage.tooLarge(size) : nil }
    let writer = storage.settings.kind.writer(storage)
    for _ in 0..<Self.attempts {
      let base = try await base()
      let trees = TreeCollector()
      let proposal = try proposal(staging, on: base, trees)
      // Changes without effect, such as removing a file that is gone, need no commit.
      guard !proposal.files.isEmpty else { return proposal.results(of: changes, staging.contents) }
      let batch = try batch(of: proposal, on: base, staging)
      let later = writer.deferred(batch)
      guard later.isEmpty else { return try await inTurn(later, only: true) }
      switch try await writer.publish(batch) {
      case .done:
        for (id, tree) in trees.trees { storage.cache.add(tree, as: id) }
        storage.cache.add(sizes: staging.bytes.mapValues(\.count))
        return proposal.results(of: changes, staging.contents)
      case .overtaken: continue
      case .declined(let reason):
        // One file that the server does not take must not hold up the others.
        guard writer.refusesFiles, batch.files.count > 1, refusals.allowsMore() else {
          return proposal.results.map { $0 ?? .failed(declined(reason)) }
        }
        return try await inTurn(batch.secondHalf, only: false)
      case .lost(let error): return proposal.results.map { $0 ?? .unknown(error) }
      }
    }
    return changes.map { _ in
      .postponed(
        "others committed to \(storage.address) first, \(Self.attempts) times in a row; the next pass tries again")
    }
  }

  /// Makes the other changes before those with an index in `later`; returns the results of all.
  ///
  /// - Parameter afterSuccess: true if the later changes need a commit of the others
  private func inTurn(_ later: Set<Int>, only afterSuccess: Bool) async throws(SyncError) -> [WriteResult] {
    let groups = [changes.indices.filter { !later.contains($0) }, changes.indices.filter(later.contains)]
    var results = changes.map { _ in
      WriteResult.postponed("an earlier commit to \(storage.address) failed; the next pass tries again")
    }
    for group in groups where !group.isEmpty {
      let publishing = Publishing(storage: storage, changes: group.map { changes[$0] }, refusals: refusals)
      let made = try await publishing.run()
      for (index, result) in zip(group, made) { results[index] = result }
      guard !afterSuccess || made.contains(where: { if case .done = $0 { true } else { false } }) else { break }
    }
    return results
  }

  private func declined(_ reason: String) -> SyncError {
    SyncError(.pathFailed, "\(service.place.address) does not accept commits of this token: \(reason)")
  }

  /// The last commit of the branch, with all of its trees; nil for an empty repository.
  private func base() async throws(SyncError) -> Branch.Tip? {
    guard let base = try await storage.branch.refreshUnlessEmpty() else { return nil }
    try await storage.loading.load(base.tree)
    return base
  }

  private func proposal(
    _ staging: Staging, on base: Branch.Tip?, _ trees: TreeCollector
  ) throws(SyncError) -> Proposal {
    let edit = try storage.edit(of: base?.tree) { tree throws(SyncError) in trees.add(tree) }
    var attributes = Attributes()
    if let base { attributes = try storage.walk(base, since: Known()).attributes }
    return try Proposal(changes, staging.contents, to: edit, attributes, storage.naming)
  }

  /// The trees of an edit, which the server will have if it makes the same.
  private final class TreeCollector {
    private(set) var trees: [ObjectID: GitTree] = [:]

    func add(_ tree: GitTree) -> ObjectID {
      let id = tree.id
      trees[id] = tree
      return id
    }
  }

  // MARK: The batch

  private func batch(
    of proposal: Proposal, on base: Branch.Tip?, _ staging: Staging
  ) throws(SyncError) -> Batch {
    let before = try storage.edit(of: base?.tree)
    var files: [BatchFile] = []
    for (index, change) in changes.enumerated() where proposal.results[index] == nil {
      var file = BatchFile(index: index, path: change.path)
      switch try before.item(change.path) {
      case .entry(let entry) where entry.mode.isFile: file.old = entry
      case .nothing: break
      case .entry, .blocked: file.isBlocked = true
      }
      switch try proposal.edit.item(change.path) {
      case .entry(let entry) where entry.mode.isFile: file.new = entry
      case .nothing: break
      case .entry, .blocked: file.isReplaced = true
      }
      if file.old != file.new || file.isReplaced { files.append(file) }
    }
    return Batch(
      base: base, files: files, tree: try proposal.edit.write(),
      message: CommitMessage(files: proposal.files, device: storage.device.name).text,
      author: storage.settings.author.flatMap { Identity($0) }, bytes: staging.bytes)
  }
}
