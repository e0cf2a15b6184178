/// The deletions of one remote that a user denied and that are not undone yet.
///
/// They are in the remote's journal from the denial until the file is restored, so that the next pass, in any process, restores
/// it on the side that lost it.
public struct DeniedDeletions: Sendable {
  private static let prefix = "engine.denied."
  private let journal: any Journal

  /// - Parameter journal: the remote's journal.
  public init(in journal: any Journal) { self.journal = journal }

  /// Records that a user denied these deletions; durable on return.
  public func add(_ items: Set<HeldItem>) async throws(SyncError) {
    guard !items.isEmpty else { return }
    try await journal.write(Dictionary(items.map { (Self.key(of: $0), Self.record(of: $0)) }, uniquingKeysWith: { $1 }))
  }

  /// Removes denials: those that were carried out, that no longer apply, or that a user withdrew.
  package func remove(_ items: some Collection<HeldItem>) async throws(SyncError) {
    guard !items.isEmpty else { return }
    try await journal.write(Dictionary(items.map { (Self.key(of: $0), nil) }, uniquingKeysWith: { $1 }))
  }

  /// The denied deletions.
  func items() async throws(SyncError) -> Set<HeldItem> {
    Set(try await journal.records().compactMap { $0.key.hasPrefix(Self.prefix) ? Self.item($0.value) : nil })
  }

  private static func key(of item: HeldItem) -> String { prefix + Digest(of: record(of: item)).description }

  private static func record(of item: HeldItem) -> [UInt8] {
    [item.side == .local ? 0 : 1] + item.digest.bytes + item.path.bytes
  }

  private static func item(_ record: [UInt8]) -> HeldItem? {
    guard record.count > 33, let digest = Digest(bytes: record[1..<33]),
      let path = SyncPath(bytes: Array(record[33...]))
    else { return nil }
    return HeldItem(path: path, digest: digest, side: record[0] == 0 ? .local : .remote)
  }
}

/// Reverses denied deletions: the remaining version is copied to the side that lost it. Pure.
struct Denial: Sendable {
  let items: Set<HeldItem>

  /// Returns the plan with the denied deletions reversed.
  func applied(to plan: Plan) -> Plan {
    guard !items.isEmpty else { return plan }
    var plan = plan
    for loss in Guard(limit: .count(0)).losses(in: plan) where items.contains(loss.item) {
      plan.decisions[loss.index] = .copy(to: loss.item.side.other)
      plan.objections[loss.index] = nil
      plan.denied[loss.index] = loss.item
    }
    // The names are in use again.
    Clashes.resolve(in: &plan)
    Collisions.refuse(in: &plan)
    return plan
  }

  /// Returns the denials that no longer apply, because the file is restored or was changed. If that is unknown, they stay.
  func lapsed(in plan: Plan) -> [HeldItem] {
    items.subtracting(plan.denied.values).sorted().filter { item in
      guard let index = plan.index(of: item.path) else { return !plan.scan.local.isUnknown(item.path) }
      return Side.allCases.allSatisfy { plan.scan.state(of: plan.differences[index], on: $0) != .unknown }
    }
  }
}
