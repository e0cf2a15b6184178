internal import CurlHTTP
internal import GitObjects
internal import HTTPStorage
internal import SyncKit
import Synchronization

/// The branch on GitHub: its name and its last commit.
final class Branch: Sendable {
  let service: Service
  let history: BranchHistory
  private let held = Mutex(Held())

  private struct Held {
    /// The name; nil before GitHub was asked for the repository.
    var name: String?
    /// The last answer, which GitHub confirms without using up the quota.
    var answer: (tag: String, commit: ObjectID)?
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

  /// Asks GitHub for the tip, and checks that the branch continues from the last known one; nil if the branch does not exist.
  func refresh() async throws(SyncError) -> Tip? {
    guard let commit = try await commit() else {
      held.withLock { $0.tip = nil }
      return nil
    }
    if let tip, tip.commit == commit { return tip }
    let path = "/git/commits/\(commit)"
    let reply: CommitReply = try await service.ask("GET", path)
    guard reply.sha == commit else { throw service.nonsense("GET", path) }
    let tip = Tip(commit: commit, tree: reply.tree.sha)
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

  /// Asks GitHub for the present state.
  func state() async throws(SyncError) -> State {
    let name = try await name()
    let state = try await state(of: name)
    guard state == .missing else { return state }
    // The default branch may have been renamed, or the token may not see the repository.
    let new = try await self.name(in: repository())
    return new == name ? .missing : try await self.state(of: new)
  }

  private func state(of name: String) async throws(SyncError) -> State {
    let path = "/git/ref/\(Self.path(of: name))"
    let known = held.withLock { $0.answer }
    let answer = try await service.ask(
      "GET", path, headers: known.map { [HTTPHeader("If-None-Match", $0.tag)] } ?? [])
    switch answer.status {
    case 304:
      guard let known else { throw service.nonsense("GET", path) }
      return .at(known.commit)
    case 404: return .missing
    case 409: return .empty
    default:
      let reply: ReferenceReply = try service.value(in: answer, "GET", path)
      guard reply.ref == "refs/heads/\(name)", reply.object.type == "commit" else {
        throw service.nonsense("GET", path)
      }
      held.withLock { $0.answer = answer.header("ETag").map { (tag: $0, commit: reply.object.sha) } }
      return .at(reply.object.sha)
    }
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
