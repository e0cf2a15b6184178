package import SyncKit

/// The output of `syncd --once --json`, as documented in `docs/contract.md`.
package enum ReportJSON {
  package static func document(pass: Int, result: PassResult, _ reports: [PassReport]) -> JSON {
    document(pass: pass, result: result, remotes: reports.map(json))
  }

  /// Returns the document of a run over several stores.
  package static func document(_ runs: [StoreRun]) -> JSON {
    let remotes = runs.flatMap { run in
      run.reports.map { report in
        var remote = json(report)
        remote["store"] = .string(run.store)
        remote["pass"] = .integer(run.pass)
        return remote
      }
    }
    return document(pass: runs.map(\.pass).max() ?? 0, result: runs.flatMap(\.reports).worst, remotes: remotes)
  }

  private static func document(pass: Int, result: PassResult, remotes: [JSON]) -> JSON {
    ["version": 1, "pass": .integer(pass), "result": .string(result.word), "remotes": .array(remotes)]
  }

  private static func json(_ report: PassReport) -> JSON {
    var json: JSON = [
      "name": .string(report.remote), "result": .string(report.result.word),
      "actions": .array(report.actions.map(json)), "counts": json(report.counts),
      "bytes": ["up": .integer(report.bytes.up), "down": .integer(report.bytes.down)],
      "seconds": .number((report.seconds * 1000).rounded() / 1000),
    ]
    if let failure = report.failure { json["error"] = .string(failure.explanation) }
    if let hold = report.hold { json["hold"] = ["id": .string(hold.id), "reason": .string(hold.reason)] }
    if report.openConflicts > 0 { json["open-conflicts"] = .integer(report.openConflicts) }
    if !report.ignored.isEmpty {
      json["ignored"] = .array(
        report.ignored.map { ["path": .string($0.path.description), "change": .string($0.change)] })
    }
    if !report.notices.isEmpty { json["notices"] = .array(report.notices.map(JSON.string)) }
    return json
  }

  package static func json(_ action: Action) -> JSON {
    [
      "path": .string(action.path.description), "action": .string(action.kind.rawValue),
      "to": .string(action.to.rawValue), "result": .string(action.result.rawValue), "detail": .string(action.detail),
    ]
  }

  private static func json(_ counts: PassReport.Counts) -> JSON {
    [
      "copied": .integer(counts.copied), "merged": .integer(counts.merged), "removed": .integer(counts.removed),
      "conflicts": .integer(counts.conflicts), "held": .integer(counts.held), "failed": .integer(counts.failed),
      "waiting": .integer(counts.waiting), "ignored": .integer(counts.ignored),
    ]
  }
}

/// The reports of a run over the remotes of one store.
package struct StoreRun: Sendable {
  /// The name of the store.
  package var store: String
  /// The number of the run; 0 if unknown.
  package var pass: Int
  package var reports: [PassReport]

  package init(store: String, pass: Int, reports: [PassReport]) {
    self.store = store
    self.pass = pass
    self.reports = reports
  }
}

extension [PassReport] {
  /// The result of the worst remote.
  package var worst: PassResult { map(\.result).max() ?? .synced }
}
