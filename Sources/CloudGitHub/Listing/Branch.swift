internal import CurlHTTP
internal import GitObjects
internal import HTTPStorage
internal import SyncKit
import Synchronization

/// The branch on the server: its name and its last commit.
final class Branch: Sendable {
  let service: Service
  let history: BranchHistory
  private let held = Mutex(Held())

  private struct Held {
    /// The name; nil before the server was asked for the repository.
    var name: String?
    /// The last answer, which GitHub confirms without using up the quota.
    var answer: TaggedTip?
    var tip: Tip?
  }

  /// The last commit and its tree.
  struct Tip: Hashable, Sendable {
    var commit: ObjectID
    var tree: ObjectID
  }

  /// The state of the branch.
  enum State: Hashable, Sendable {
    case at(ObjectID)
    /// The repository has commits, but not this branch.
    case missing
    /// The repository has no commit.
    case empty

    var commit: ObjectID? { if case .at(let commit) = self { commit } else { nil } }
  }

  /// The seconds to wait for answers that lag behind our own commit.
  private static let waits = [2, 4, 8, 16]

  init(_ service: Service, _ history: BranchHistory) {
    self.service = service
    self.history = history
  }

  /// The last known tip; nil before the first one, and without a branch.
  var tip: Tip? { held.withLock { $0.tip } }

  // MARK: Asking

  /// Asks the server for the tip, and checks that the branch continues from the last known one; nil if the branch does not exist.
  func refresh() async throws(SyncError) -> Tip? {
    guard let commit = try await commit() else {
      held.withLock { $0.tip = nil }
      return nil
    }
    if let tip, tip.commit == commit { return tip }
    let tip = Tip(commit: commit, tree: try await service.api.tree(of: commit))
    held.withLock { $0.tip = tip }
    return tip
  }

  private func commit() async throws(SyncError) -> ObjectID? {
    var waits = Self.waits[...]
    while true {
      let commit = try await state().commit
      guard case .mayLag(let error) = try await history.judge(commit) else { return commit }
      guard let seconds = waits.popFirst() else { throw error }
      forgetAnswer()
      try await service.sleep(for: .seconds(seconds))
    }
  }

  /// Asks the server for the present state.
  func state() async throws(SyncError) -> State {
    let name = try await name()
    let state = try await state(of: name)
    guard state == .missing else { return state }
    // The default branch may have been renamed, or the token may not see the repository.
    let repository = try await repository()
    guard repository.empty != true else { return .empty }
    // Another device may also have made the first commit since the first answer.
    return try await self.state(of: self.name(in: repository))
  }

  /// Asks the server for the tip; nil for an empty repository. Throws `.notFound` if the repository has commits, but not this branch.
  func refreshUnlessEmpty() async throws(SyncError) -> Tip? {
    for _ in 0..<Self.looks {
      if let tip = try await refresh() { return tip }
      switch try await state() {
      case .empty: return nil
      case .missing: throw SyncError(.notFound, "the branch of \(service.place.address) does not exist")
      // Another device has made the first commit between both answers.
      case .at: continue
      }
    }
    throw SyncError(.unavailable, "the branch of \(service.place.address) appears and disappears")
  }

  private static let looks = 4

  private func state(of name: String) async throws(SyncError) -> State {
    let (state, answer) = try await service.api.state(of: name, since: held.withLock { $0.answer })
    held.withLock { $0.answer = answer }
    return state
  }

  /// The path of a branch below `git/ref` and `git/refs`.
  static func path(of name: String) -> String { "heads/\(encoded(name))" }

  /// A branch's name in a path.
  static func encoded(_ name: String) -> String { PercentCoding.encoded(name.utf8, keepsSlashes: true) }

  private func forgetAnswer() { held.withLock { $0.answer = nil } }

  /// The branch's name: the one in the settings, or the repository's default branch.
  func name() async throws(SyncError) -> String {
    if let name = held.withLock({ $0.name }) { return name }
    return name(in: try await repository())
  }

  private func name(in repository: RepositoryReply) -> String {
    let name = service.place.branch ?? repository.defaultBranch
    held.withLock { held in
      if held.name != name { (held.name, held.answer) = (name, nil) }
    }
    return name
  }

  /// Asks for the repository, and follows it to its present name.
  func repository() async throws(SyncError) -> RepositoryReply {
    let reply: RepositoryReply = try await service.ask("GET", "")
    guard [nil, "sha1"].contains(reply.objectFormatName) else {
      throw SyncError(
        .invalidSettings,
        "the repository \(service.place.address) uses \(reply.objectFormatName ?? "") hashes, which syncd does not support; use "
          + "a repository with SHA-1")
    }
    service.repository = reply.fullName
    return reply
  }

  // MARK: Changing

  /// Records that our commit is the tip, or part of the branch.
  func record(_ tip: Tip) async throws(SyncError) {
    held.withLock { ($0.tip, $0.answer) = (tip, nil) }
    try await history.record(ours: tip.commit)
  }
}
