import SyncDaemon
import SyncKit

/// Prints the result of a run: a JSON document, or lines for people.
struct RunOutput: Sendable {
  let common: CommonOptions
  /// True if the run is over several stores.
  let isSeveral: Bool
  var isDryRun = false

  /// The maximum number of actions in a text report; a document has all of them.
  var actionLimit: Int { common.json ? .max : 10_000 }

  /// Prints the runs over the stores; their reports are only all remotes that were to be synced.
  func print(_ runs: [StoreRun]) {
    if common.json { return Console.print(json: document(runs)) }
    for report in runs.flatMap(\.reports) where !common.quiet || report.result != .synced {
      let text = ReportText(report: report, isVerbose: common.verbose > 0, isDryRun: isDryRun)
      for line in text.lines { Console.print(line) }
    }
    if runs.allSatisfy(\.reports.isEmpty) {
      Console.print(
        "nothing was synced: \(common.settingsPath) has no remotes. Add one with `syncd remote add`, or as a table [remotes.NAME]"
      )
    }
  }

  private func document(_ runs: [StoreRun]) -> JSON {
    guard let only = runs.first, !isSeveral else { return ReportJSON.document(runs) }
    return ReportJSON.document(pass: only.pass, result: only.reports.worst, only.reports)
  }
}
