/// Runs passes over one store's remotes until nothing is left to do: at most three rounds, and then second checks of what can
/// only be decided later, for as long as the run may take.
///
/// Passes run one after the other, so that one distributes what the previous one has fetched. A pass that takes long, because
/// its remote is slow, does not delay the others: they run beside it.
public struct SyncRun: Sendable {
  private let remotes: [PassParts]
  private let waits: Bool
  private static let pauses: (first: Duration, longest: Duration) = (.seconds(1), .seconds(15))
  /// The time after which the next pass starts even if the previous one has not ended.
  private static let patience = Duration.seconds(5)

  /// - Parameters:
  ///   - remotes: all remotes of one store. Their `local` replica must support sharing between passes.
  ///   - waits: true to wait for second checks. The run then ends when everything is resolved or its task is cancelled.
  public init(_ remotes: [PassParts], waits: Bool = false) {
    self.remotes = remotes
    self.waits = waits
  }

  /// Runs the passes. Returns one report per remote, in order, that covers all its rounds.
  public func run() async -> [PassReport] {
    var reports: [PassReport?] = Array(repeating: nil, count: remotes.count)
    await runPasses(over: Array(remotes.indices), &reports)
    var pause = Self.pauses.first
    while waits, let runtime = remotes.first?.runtime {
      let unfinished = remotes.indices.filter { reports[$0]?.needsSecondCheck ?? false }
      guard !unfinished.isEmpty, (try? await runtime.sleep(pause)) != nil else { break }
      await runPasses(over: unfinished, &reports)
      pause = min(pause * 2, Self.pauses.longest)
    }
    return reports.compactMap(\.self)
  }

  private enum Event: Sendable {
    case ended(Int, PassReport)
    /// The pass over a remote takes long, unless it has ended.
    case waited(Int)
  }

  /// Runs passes over the due remotes, and over those for which they bring changes.
  private func runPasses(over due: [Int], _ reports: inout [PassReport?]) async {
    var order = PassOrder(due)
    await withTaskGroup(of: Event.self) { group in
      while true {
        while let index = order.begin(skipping: { reports[$0]?.failure != nil }) {
          group.addTask { .ended(index, await SyncPass(remotes[index]).run()) }
          // The end of the run cancels this wait.
          group.addTask {
            try? await Task.sleep(for: Self.patience)
            return .waited(index)
          }
        }
        guard order.isBusy, let event = await group.next() else { break }
        switch event {
        case .waited(let index): order.isLate(index)
        case .ended(let index, let report):
          reports[index] = reports[index]?.continued(by: report) ?? report
          order.end(index, news(of: report, at: index))
        }
      }
      group.cancelAll()
    }
  }

  /// Returns the remotes that need another pass after a report.
  private func news(of report: PassReport, at index: Int) -> Set<Int> {
    var next: Set<Int> = []
    if report.wantsAnotherPass, report.failure == nil { next.insert(index) }
    guard report.changedStore else { return next }
    // Its changes of the store may have resolved a conflict that was open before.
    if report.openConflicts > report.counts.conflicts { next.insert(index) }
    // Its changes of the store are new to the remotes that had their passes before.
    return next.union(remotes.indices.filter { $0 != index })
  }
}

/// The order in which passes begin: one after the other, in rounds, and beside those that take long. Pure.
struct PassOrder {
  private static let rounds = 3

  /// The rest of this round.
  private var due: ArraySlice<Int>
  private var next: Set<Int> = []
  private var round = 1
  private var running: Set<Int> = []
  private var late: Set<Int> = []

  init(_ due: [Int]) { self.due = due[...] }

  /// True if a pass has not ended.
  var isBusy: Bool { !running.isEmpty }

  /// Returns the remote whose pass begins now; nil for none.
  ///
  /// - Parameter hasFailed: true for a remote that was just unreachable, which is not tried again at once.
  mutating func begin(skipping hasFailed: (Int) -> Bool) -> Int? {
    guard running.isSubset(of: late) else { return nil }
    if due.isEmpty, round < Self.rounds {
      due = next.filter { !running.contains($0) && !hasFailed($0) }.sorted()[...]
      if !due.isEmpty { round += 1 }
    }
    guard let index = due.popFirst() else { return nil }
    next.remove(index)
    running.insert(index)
    return index
  }

  /// Records that the pass over a remote takes long, unless it has ended: the next one no longer waits for it.
  mutating func isLate(_ index: Int) { if running.contains(index) { late.insert(index) } }

  /// Records that the pass over a remote has ended, and for which remotes it brings changes.
  mutating func end(_ index: Int, _ news: Set<Int>) {
    running.remove(index)
    late.remove(index)
    next.formUnion(news)
  }
}
