internal import GitObjects
internal import HTTPStorage
internal import SyncKit

/// The history of the branch as this device knows it: commits that vanish from it were not deleted on purpose.
struct BranchHistory: Sendable {
  let service: Service
  let journal: any Journal
  /// The first digits of a commit from which a rewritten history is accepted; nil if none is.
  let accepted: String?

  private static let key = "github.tip"
  /// The time of our last commit.
  private static let writtenKey = "github.written"
  /// The time in seconds within which the server's answers may still be older than our last commit.
  private static let longestLag: Int64 = 120

  enum Judgement {
    /// The branch continues from the last known commit.
    case good
    /// The answer may be older than our own last commit.
    case mayLag(SyncError)
  }

  /// The last known commit.
  static func known(in journal: any Journal, of place: Place) async throws(SyncError) -> KnownTip? {
    let known = try await journal.records()[key].flatMap(KnownTip.init)
    return known?.branch == place.address ? known : nil
  }

  private func known() async throws(SyncError) -> KnownTip? { try await Self.known(in: journal, of: service.place) }

  /// Compares the tip of the branch with the last known one. Throws `.wrongReplica` if that has vanished from it.
  func judge(_ tip: ObjectID?) async throws(SyncError) -> Judgement {
    guard let known = try await known() else {
      if let tip { try await record(tip, origin: nil) }
      return .good
    }
    guard let tip else {
      guard try await hasJustWritten() else { throw vanished(known) }
      return .mayLag(vanished(known))
    }
    guard tip != known.commit else { return .good }
    let status = try await service.api.comparison(known.commit, tip)
    if status == .behind, try await hasJustWritten() { return .mayLag(rewritten(known, tip)) }
    switch status {
    case .ahead, .identical: try await record(tip, origin: known.origin)
    case .behind, .diverged, nil:
      guard let accepted, let origin = try await origin(accepted, before: tip) else { throw rewritten(known, tip) }
      try await record(tip, origin: origin)
    }
    return .good
  }

  /// Records our own commit.
  func record(ours commit: ObjectID) async throws(SyncError) {
    let now = KnownTip(branch: service.place.address, commit: commit, origin: try await known()?.origin)
    let time = Array("\(service.runtime.now().seconds)".utf8)
    try await journal.write([Self.key: now.bytes, Self.writtenKey: time])
  }

  private func record(_ tip: ObjectID, origin: ObjectID?) async throws(SyncError) {
    try await journal.write([Self.key: KnownTip(branch: service.place.address, commit: tip, origin: origin).bytes])
  }

  private func hasJustWritten() async throws(SyncError) -> Bool {
    let record = try await journal.records()[Self.writtenKey]
    guard let time = record.flatMap({ Int64(String(decoding: $0, as: UTF8.self)) }) else { return false }
    return (0..<Self.longestLag).contains(service.runtime.now().seconds - time)
  }

  /// The commit with these first digits, if the branch contains it.
  private func origin(_ digits: String, before tip: ObjectID) async throws(SyncError) -> ObjectID? {
    let digits = digits.lowercased()
    if tip.description.hasPrefix(digits) { return tip }
    guard let commit = try await service.api.commit(digits) else { return nil }
    return try await service.api.comparison(commit, tip) == .ahead ? commit : nil
  }

  private func vanished(_ known: KnownTip) -> SyncError {
    SyncError(
      .wrongReplica,
      "the branch of \(service.place.address) does not exist; nothing was changed. If it was removed by mistake, push it again "
        + "from a clone (its last commit was \(known.commit.short)); if it was renamed, change `branch` in the settings"
    )
  }

  private func rewritten(_ known: KnownTip, _ tip: ObjectID) -> SyncError {
    SyncError(
      .wrongReplica,
      "the history of \(service.place.address) was rewritten: it does not contain the commit \(known.commit.short); nothing "
        + "was changed. To go back, force-push \(known.commit.short) from a clone that has it. To accept the new history, set "
        + "`accept = \"\(tip.short)\"` in the remote's [github] table: syncd then merges both sides, and nothing is deleted"
    )
  }
}
