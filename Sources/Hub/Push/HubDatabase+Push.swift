internal import GRDB
import SyncKit
internal import WebPush

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A message that waits to be sent to a device.
struct WaitingPush: Sendable {
  /// The number of the message; a newer one with the same topic has another.
  var number: Int64
  /// The identifier of the device.
  var device: String
  var subscription: PushSubscription
  /// Of two messages with one topic, the service keeps the later one.
  var topic: String
  var text: [UInt8]
  /// When it is worthless, in seconds since 1970.
  var expires: Int64
  /// The number of attempts to send it.
  var attempts: Int
}

extension HubDatabase {
  // MARK: Subscriptions

  /// The hub's key for push services. It is made once, because a subscription takes messages of one key only.
  func senderKey() throws(SyncError) -> SenderKey {
    try write { db in
      if let text = try String.fetchOne(db, sql: "SELECT value FROM fact WHERE name = 'push-key'") {
        guard let key = SenderKey(text: text) else {
          throw SyncError(.damagedState, "the hub's key for push services in hub.sqlite is damaged")
        }
        return key
      }
      let key = SenderKey()
      try db.execute(sql: "INSERT INTO fact VALUES ('push-key', ?)", arguments: [key.text])
      return key
    }
  }

  /// Sends the reminders of a device to a subscription from now on.
  func subscribe(_ device: String, _ subscription: PushSubscription) throws(SyncError) {
    try write { db in
      // A browser that was paired again has the same endpoint, and shows each reminder once.
      try db.execute(sql: "DELETE FROM push WHERE endpoint = ?", arguments: [subscription.endpoint])
      try db.execute(
        sql: "INSERT OR REPLACE INTO push VALUES (?, ?, ?, ?)",
        arguments: [
          device, subscription.endpoint, Self.blob(subscription.key), Self.blob(subscription.secret),
        ])
    }
  }

  /// Sends a device no more reminders. Forgets those that wait.
  func unsubscribe(_ device: String) throws(SyncError) {
    try write { db in try Self.unsubscribe(device, db) }
  }

  static func unsubscribe(_ device: String, _ db: Database) throws {
    try db.execute(sql: "DELETE FROM push WHERE device = ?", arguments: [device])
    try db.execute(sql: "DELETE FROM push_message WHERE device = ?", arguments: [device])
  }

  /// The address at which a device gets reminders; nil if it gets none.
  func endpoint(of device: String) throws(SyncError) -> String? {
    try read { db in
      try String.fetchOne(db, sql: "SELECT endpoint FROM push WHERE device = ?", arguments: [device])
    }
  }

  /// True if a device gets reminders.
  func hasSubscriptions() throws(SyncError) -> Bool {
    try read { db in
      try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM \(Self.receivers))") ?? false
    }
  }

  /// The subscriptions of devices that may come back.
  private static let receivers = "push JOIN device ON device.id = push.device AND device.revoked IS NULL"

  // MARK: Messages

  /// Queues a message for a device, or for all devices that get reminders. It takes the place of one with the same topic.
  func enqueue(
    _ text: [UInt8], topic: String, for device: String? = nil, until expires: Int64, at now: Timestamp
  ) throws(SyncError) {
    try write { db in
      try db.execute(
        sql: """
          INSERT OR REPLACE INTO push_message (device, topic, text, expires, due, attempts)
          SELECT push.device, ?, ?, ?, ?, 0 FROM \(Self.receivers) WHERE ? IS NULL OR push.device = ?
          """,
        arguments: [topic, Self.blob(text), expires, now.seconds, device, device])
    }
  }

  /// Returns messages that are due, oldest first, and forgets those that are worthless by now.
  func duePushes(at now: Timestamp, atMost limit: Int) throws(SyncError) -> [WaitingPush] {
    try write { db in
      try db.execute(sql: "DELETE FROM push_message WHERE expires <= ?", arguments: [now.seconds])
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT push_message.*, endpoint, key, secret FROM push_message JOIN \(Self.receivers)
          WHERE push_message.device = push.device AND due <= ? ORDER BY number LIMIT ?
          """,
        arguments: [now.seconds, limit])
      return rows.compactMap(Self.push)
    }
  }

  /// When the next message is due, in seconds since 1970; nil if none waits.
  func nextPush() throws(SyncError) -> Int64? {
    try read { db in
      try Int64.fetchOne(
        db, sql: "SELECT min(due) FROM push_message JOIN \(Self.receivers) WHERE push_message.device = push.device")
    }
  }

  /// Forgets a message: it was delivered, or will never be.
  func finish(_ push: WaitingPush) throws(SyncError) {
    try write { db in try db.execute(sql: "DELETE FROM push_message WHERE number = ?", arguments: [push.number]) }
  }

  /// Puts a message off.
  func postpone(_ push: WaitingPush, until due: Int64) throws(SyncError) {
    try write { db in
      try db.execute(
        sql: "UPDATE push_message SET due = ?, attempts = attempts + 1 WHERE number = ?", arguments: [due, push.number])
    }
  }

  /// Forgets a subscription that its service does not have any longer, unless the device has a newer one.
  func forget(_ subscription: PushSubscription) throws(SyncError) {
    try write { db in
      let device = try String.fetchOne(
        db, sql: "SELECT device FROM push WHERE endpoint = ?", arguments: [subscription.endpoint])
      try db.execute(sql: "DELETE FROM push WHERE endpoint = ?", arguments: [subscription.endpoint])
      try db.execute(sql: "DELETE FROM push_message WHERE device = ?", arguments: [device])
    }
  }

  private static func push(_ row: Row) -> WaitingPush? {
    let (key, secret) = (row["key"] as Data, row["secret"] as Data)
    let subscription = PushSubscription(endpoint: row["endpoint"], key: Array(key), secret: Array(secret))
    return subscription.map {
      WaitingPush(
        number: row["number"], device: row["device"], subscription: $0, topic: row["topic"],
        text: Array(row["text"] as Data), expires: row["expires"], attempts: row["attempts"])
    }
  }
}
