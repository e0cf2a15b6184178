import ArchiveSQLite
package import OrgKit
package import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the state folder has of alerts: the record of the service, which only it writes, and the snoozes, to which commands append.
extension StateFolder {
  /// The record of the alerts that were shown. An unreadable one throws: with an empty record, alerts would be missed.
  package func alertLedger() throws(SyncError) -> AlertLedger { AlertLedger(text: try text("alerts")) }

  /// Records which alerts were shown.
  func record(_ ledger: AlertLedger) throws(SyncError) {
    try StateFile.replace(file("alerts"), with: Array(ledger.text.utf8))
  }

  /// The dates that were put off.
  package func alertSnoozes() throws(SyncError) -> AlertSnoozes { AlertSnoozes(text: try text("alerts-snoozed")) }

  /// Puts a date off until a time, in seconds since 1970.
  package func snooze(_ date: String, until end: Int) throws(SyncError) {
    try create()
    // One write at the end of the file, so that two commands at the same time do not lose a line.
    let file = try StateFile(file("alerts-snoozed"), O_WRONLY | O_CREAT | O_APPEND)
    try file.write(Array(AlertSnoozes.line(date, until: end).utf8))
    try file.sync()
  }

  private func text(_ name: String) throws(SyncError) -> String {
    guard let file = try StateFile(ifPresent: file(name)) else { return "" }
    return String(decoding: try file.read(atMost: 1 << 24), as: UTF8.self)
  }
}

/// The points of an alert at which a test can stop the program.
package enum AlertFailpoint: String, ModuleFailpoint {
  case begun = "entries.alert.begun"
  case shown = "entries.alert.shown"
  case recorded = "entries.alert.recorded"

  /// The promise that a crash at this point threatens.
  package var promise: String { "P9" }
}
