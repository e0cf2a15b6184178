package import SyncKit

/// The report of a run as text.
package struct ReportText {
  let report: PassReport
  let isVerbose: Bool
  let isDryRun: Bool

  package init(report: PassReport, isVerbose: Bool, isDryRun: Bool) {
    self.report = report
    self.isVerbose = isVerbose
    self.isDryRun = isDryRun
  }

  /// The lines for standard output; none if everything is in sync and the run is not verbose.
  package var lines: [String] {
    [headline] + details + ignoredLines + holdLines + report.notices.map { "  note: \($0)" }
  }

  private var headline: String {
    if let failure = report.failure { return "\(report.remote): \(failure.explanation)" }
    let counts = report.counts
    let parts = [
      (counts.copied, "copied"), (counts.merged, "merged"), (counts.removed, "removed"),
      (counts.conflicts, counts.conflicts == 1 ? "conflict" : "conflicts"), (counts.held, "held"),
      (counts.waiting, isDryRun ? "to do" : "waiting"),
      (counts.failed, "failed"), (counts.ignored, "ignored by mode"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let open = report.openConflicts - counts.conflicts
    let isInSync = report.result.exitStatus == 0
    let done = counts.ignored > 0 && parts.count == 1 && isInSync ? ["in sync"] : []
    let all = done + parts + (open > 0 ? ["\(open.counted("open conflict")) (see `syncd conflicts`)"] : [])
    let what = all.isEmpty ? isInSync ? "in sync" : report.result.word : all.joined(separator: ", ")
    return "\(report.remote): \(what)\(traffic) in \(seconds(report.seconds))"
  }

  private var traffic: String {
    guard report.bytes != PassReport.Traffic() else { return "" }
    return "; \(size(report.bytes.up)) up, \(size(report.bytes.down)) down"
  }

  /// The paths that the user should know of; with `-v` or in a dry run, all paths.
  private var details: [String] {
    report.actions.filter { isVerbose || isDryRun || $0.result != .done || $0.kind == .conflict }
      .filter { $0.kind != .hold || isVerbose || report.needsMoreThanApproval($0) }.map(line)
  }

  private func line(_ action: Action) -> String {
    let word = action.result == .failed ? "failed" : action.kind.rawValue
    let place = action.kind == .hold ? "" : " (\(Self.direction(of: action)))"
    let state = action.result == .waiting && !isDryRun && action.kind != .hold ? "waits: " : ""
    return "  \(word) \(action.path)\(place)" + (action.detail.isEmpty ? "" : ": \(state)\(action.detail)")
  }

  private static func direction(of action: Action) -> String {
    if action.to == .both { return "both sides" }
    return "\(action.kind == .remove ? "from" : "to") \(action.to.word)"
  }

  /// With `-v` or in a dry run, the changes that the mode ignores; `syncd status` lists them as well.
  private var ignoredLines: [String] {
    guard isVerbose || isDryRun else { return [] }
    return report.ignored.map { "  ignored \($0.path): \($0.change)" }
  }

  private var holdLines: [String] {
    guard let hold = report.hold else { return [] }
    return [
      "  held: \(hold.reason). Nothing was deleted.",
      "  `syncd status` lists the files; `syncd allow \(hold.id)` approves exactly \(hold.items.count == 1 ? "this deletion" : "these \(hold.items.count) deletions"); `syncd deny \(hold.id)` restores \(hold.items.count == 1 ? "the file" : "the files").",
    ]
  }
}

extension Action.Target {
  fileprivate var word: String {
    switch self {
    case .local: "the store"
    case .remote: "the remote"
    case .both: "both sides"
    }
  }
}

/// Formats a number of bytes for people.
package func size(_ bytes: Int) -> String {
  var value = Double(bytes)
  for unit in ["B", "KiB", "MiB", "GiB"] {
    if value < 1024 { return unit == "B" ? "\(bytes) B" : "\(oneDigit(value)) \(unit)" }
    value /= 1024
  }
  return "\(oneDigit(value)) TiB"
}

/// Formats a duration for people.
package func seconds(_ seconds: Double) -> String {
  seconds < 1 ? "\(Int(seconds * 1000)) ms" : "\(oneDigit(seconds)) s"
}

private func oneDigit(_ value: Double) -> String {
  let tenths = Int((value * 10).rounded())
  return "\(tenths / 10).\(tenths % 10)"
}
