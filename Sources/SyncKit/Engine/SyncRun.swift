/// Passes over one store's remotes until nothing is left to do: at most three rounds.
public struct SyncRun: Sendable {
  private let remotes: [PassParts]
  private static let rounds = 3

  /// - Parameter remotes: all remotes of one store; their passes run one after the other.
  public init(_ remotes: [PassParts]) { self.remotes = remotes }

  /// Runs the passes. There is one report for each remote, in their order, which tells of all its rounds.
  public func run() async -> [PassReport] {
    var reports: [PassReport?] = Array(repeating: nil, count: remotes.count)
    var due = Array(remotes.indices)
    for _ in 0..<Self.rounds where !due.isEmpty {
      var next: Set<Int> = []
      for index in due {
        next.remove(index)
        let report = await SyncPass(remotes[index]).run()
        reports[index] = reports[index]?.continued(by: report) ?? report
        if report.wantsAnotherPass, report.failure == nil { next.insert(index) }
        // What it brought into the store may have settled a conflict that was open before.
        if report.changedStore, report.openConflicts > report.counts.conflicts { next.insert(index) }
        // What this remote brought into the store is news to those that were looked at before.
        if report.changedStore { next.formUnion(remotes.indices.filter { $0 != index }) }
      }
      due = next.sorted()
    }
    return reports.compactMap(\.self)
  }
}
