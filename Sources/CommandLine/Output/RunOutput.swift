import SyncDaemon
import SyncKit

/// Prints the result of a run: a JSON document, or lines for people.
struct RunOutput {
  let configuration: DaemonConfiguration
  let common: CommonOptions
  var isDryRun = false

  /// The maximum number of actions in a text report; a document has all of them.
  var actionLimit: Int { common.json ? .max : 10_000 }

  /// - Parameter pass: the number of the run; 0 if unknown.
  func print(_ reports: [PassReport], pass: Int) {
    if common.json {
      return Console.print(json: ReportJSON.document(pass: pass, result: reports.worst, reports))
    }
    for report in reports where !common.quiet || report.result != .synced {
      let text = ReportText(report: report, isVerbose: common.verbose > 0, isDryRun: isDryRun)
      for line in text.lines { Console.print(line) }
    }
    if reports.isEmpty {
      Console.print(
        "nothing was synced: \(configuration.file) has no remotes. Add one with `syncd init`, or as a table [remotes.NAME]"
      )
    }
  }
}
