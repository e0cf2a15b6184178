internal import GRDB
package import SyncKit

extension HubDatabase {
  /// The time for which the hub remembers a device after its last request, and a batch with its answer, in seconds. A cookie ends
  /// after a year, and the web client does not repeat a batch that it sent longer ago; the rest is for clocks that differ.
  static let memory: Int64 = 400 * 86_400

  /// Removes what no device can ask for any longer. The hub calls it when it starts, and once a day.
  ///
  /// The last batch of each device stays while the hub knows the device, so that its client continues with the next number.
  package func tidy(at now: Timestamp = Runtime.real.now()) throws(SyncError) {
    let old = now.seconds - Self.memory
    try write { db in
      try db.execute(sql: "DELETE FROM device WHERE seen < ?", arguments: [old])
      try db.execute(
        sql: """
          DELETE FROM batch WHERE isDone AND (at < ? OR client LIKE '\(Batch.unnumbered)%')
          AND number < (SELECT MAX(number) FROM batch)
          AND number NOT IN (SELECT MAX(number) FROM batch JOIN device ON device.id = batch.device
            WHERE isDone AND client NOT LIKE '\(Batch.unnumbered)%' GROUP BY device.id)
          """, arguments: [old])
      try db.execute(sql: "DELETE FROM alias WHERE at < ?", arguments: [old])
      try db.execute(sql: "DELETE FROM pairing WHERE expires < ?", arguments: [now.seconds - 86_400])
      try db.execute(
        sql: "DELETE FROM push WHERE device NOT IN (SELECT id FROM device WHERE revoked IS NULL)")
      try db.execute(
        sql: "DELETE FROM push_message WHERE expires <= ? OR device NOT IN (SELECT device FROM push)",
        arguments: [now.seconds])
    }
  }
}
