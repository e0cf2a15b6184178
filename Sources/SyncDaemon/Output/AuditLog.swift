import ArchiveSQLite
import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The audit log: a line of JSON for each of the user's files that a pass has changed, separate from the log for people.
///
/// It is opened for each pass, so it can be moved at any time, and each pass appends with one write.
struct AuditLog {
  let path: String
  /// The name of this device.
  let device: String
  /// The name of the store, if there are several.
  var store: String?

  /// Adds a line for each changed file of the run `pass`.
  func record(_ reports: [PassReport], pass: Int, at now: Timestamp) throws(SyncError) {
    let lines = reports.flatMap { report in report.actions.filter(\.changedAFile).map { line($0, report, pass, now) } }
    guard !lines.isEmpty else { return }
    try StateFile(path, O_WRONLY | O_CREAT | O_APPEND, followsLinks: true).write(Array(lines.joined().utf8))
  }

  private func line(_ action: Action, _ report: PassReport, _ pass: Int, _ now: Timestamp) -> String {
    var line: JSON = [
      "time": .string("\(CivilTime(now))"), "pass": .integer(pass), "device": .string(device),
      "remote": .string(report.remote),
    ]
    if let store { line["store"] = .string(store) }
    line.add(ReportJSON.json(action))
    return line.line + "\n"
  }
}

extension Action {
  fileprivate var changedAFile: Bool { result == .done && kind != .forget && kind != .hold }
}
