/// Passes over one store's remotes until nothing is left to do: at most three rounds, and then a second check of what can
/// only be decided later, for as long as the run may take.
public struct SyncRun: Sendable {
  private let remotes: [PassParts]
  private let waits: Bool
  private static let rounds = 3
  private static let pauses: (first: Duration, longest: Duration) = (.seconds(1), .seconds(15))

  /// - Parameters:
  ///   - remotes: all remotes of one store; their passes run one after the other.
  ///   - waits: true to wait for what needs a second check. The run then ends when that is resolved or its task is
  ///     cancelled.
  public init(_ remotes: [PassParts], waits: Bool = false) {
    self.remotes = remotes
    self.waits = waits
  }

  /// Runs the passes. There is one report for each remote, in their order, which tells of all its rounds.
  public func run() async -> [PassReport] {
    var reports: [PassReport?] = Array(repeating: nil, count: remotes.count)
    await settle(Array(remotes.indices), &reports)
    var pause = Self.pauses.first
    while waits, let runtime = remotes.first?.runtime {
      let unsettled = remotes.indices.filter { reports[$0]?.isUnsettled ?? false }
      guard !unsettled.isEmpty, (try? await runtime.sleep(pause)) != nil else { break }
      await settle(unsettled, &reports)
      pause = min(pause * 2, Self.pauses.longest)
    }
    return reports.compactMap(\.self)
  }

  /// Passes over the remotes that are due, and over those for which they bring news.
  private func settle(_ remotes: [Int], _ reports: inout [PassReport?]) async {
    var due = remotes
    for _ in 0..<Self.rounds where !due.isEmpty {
      var next: Set<Int> = []
      for index in due {
        next.remove(index)
        let report = await SyncPass(self.remotes[index]).run()
        reports[index] = reports[index]?.continued(by: report) ?? report
        if report.wantsAnotherPass, report.failure == nil { next.insert(index) }
        // What it brought into the store may have resolved a conflict that was open before.
        if report.changedStore, report.openConflicts > report.counts.conflicts { next.insert(index) }
        // What this remote brought into the store is news to those that were looked at before.
        if report.changedStore { next.formUnion(self.remotes.indices.filter { $0 != index }) }
      }
      // A remote that could not be reached a moment ago is not asked again at once.
      due = next.filter { reports[$0]?.failure == nil }.sorted()
    }
  }
}
