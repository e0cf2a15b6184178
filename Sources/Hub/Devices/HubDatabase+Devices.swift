internal import GRDB
package import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension HubDatabase {
  /// The time for which a device stays paired without a request.
  private static let idleLimit: Int64 = 90 * 86_400

  /// All devices that are not revoked, in the order of pairing.
  package func devices() throws(SyncError) -> [HubDevice] {
    try read { db in
      try Row.fetchAll(db, sql: "SELECT * FROM device WHERE revoked IS NULL ORDER BY created, id").map(Self.device)
    }
  }

  /// Revokes the devices with a name or an identifier, and removes where they get reminders and the pairing codes that they made; returns
  /// those that were revoked now.
  package func revoke(_ name: String, at now: Timestamp = Runtime.real.now()) throws(SyncError) -> [HubDevice] {
    try write { db in
      let rows = try Row.fetchAll(
        db, sql: "SELECT * FROM device WHERE revoked IS NULL AND (id = ? OR name = ?)", arguments: [name, name])
      for row in rows {
        try db.execute(
          sql: "UPDATE device SET revoked = ? WHERE id = ?", arguments: [now.seconds, row["id"] as String])
        try Self.unsubscribe(row["id"], db)
        try db.execute(sql: "DELETE FROM pairing WHERE maker = ?", arguments: [row["id"] as String])
      }
      return rows.map(Self.device)
    }
  }

  /// Adds a device; returns it with its secret, which is not stored.
  package func add(
    _ name: String, _ scope: Scope, from address: String, at now: Timestamp = Runtime.real.now()
  ) throws(SyncError) -> (device: HubDevice, token: String) {
    try write { db in try Self.insert(name, scope, from: address, at: now, db) }
  }

  /// Returns the device with a secret; nil for an unknown secret, or if it was idle for too long. One that was revoked is returned
  /// however long ago that was, so that it deletes what it has stored.
  func device(token: String, from address: String, at now: Timestamp) throws(SyncError) -> HubDevice? {
    let digest = SecretToken.digest(of: token)
    let found = try read { db in
      try Row.fetchOne(db, sql: "SELECT * FROM device WHERE token = ?", arguments: [Self.blob(digest)]).map(Self.device)
    }
    guard let found, found.isRevoked || now.seconds - found.seen.seconds < Self.idleLimit else { return nil }
    // Once a minute is often enough for a person, and saves a write for each request.
    if !found.isRevoked, now.seconds - found.seen.seconds >= 60 || found.address != address {
      try write { db in
        try db.execute(
          sql: "UPDATE device SET seen = ?, address = ? WHERE id = ?", arguments: [now.seconds, address, found.id])
      }
    }
    return found
  }

  /// Returns true if the device may not come back.
  func isRevoked(_ id: String) throws(SyncError) -> Bool {
    try read { db in
      try Bool.fetchOne(db, sql: "SELECT revoked IS NOT NULL FROM device WHERE id = ?", arguments: [id]) ?? true
    }
  }

  private static func insert(
    _ name: String, _ scope: Scope, from address: String, at now: Timestamp, _ db: Database
  ) throws -> (HubDevice, String) {
    let (token, id) = (SecretToken.new(), "d" + String(SecretToken.new().prefix(12)))
    try db.execute(
      sql: "INSERT INTO device VALUES (?, ?, ?, ?, ?, ?, ?, NULL)",
      arguments: [
        id, name, scope.rawValue, Self.blob(SecretToken.digest(of: token)), now.seconds, now.seconds, address,
      ])
    let device = HubDevice(
      id: id, name: name, scope: scope, created: now, seen: now, address: address, isRevoked: false)
    return (device, token)
  }

  private static func device(_ row: Row) -> HubDevice {
    HubDevice(
      id: row["id"], name: row["name"], scope: Scope(rawValue: row["scope"]) ?? .read,
      created: Timestamp(seconds: row["created"]), seen: Timestamp(seconds: row["seen"]), address: row["address"],
      isRevoked: row["revoked"] as Int64? != nil)
  }
}

// Pairing codes

extension HubDatabase {
  /// The time for which a pairing code is valid, in seconds.
  package static let codeLifetime: Int64 = 300

  /// Returns a new pairing code, which one device may use once.
  ///
  /// - Parameter maker: the identifier of the device that asks for it, with which it becomes invalid; nil for a command.
  package func pairingCode(
    named name: String?, _ scope: Scope, by maker: String? = nil, at now: Timestamp = Runtime.real.now()
  ) throws(SyncError) -> String {
    let code = String(SecretToken.new().prefix(32))
    try write { db in
      try db.execute(sql: "DELETE FROM pairing WHERE expires < ?", arguments: [now.seconds - 86_400])
      try db.execute(
        sql: "INSERT INTO pairing (code, name, scope, expires, maker) VALUES (?, ?, ?, ?, ?)",
        arguments: [
          Self.blob(SecretToken.digest(of: code)), name, scope.rawValue, now.seconds + Self.codeLifetime, maker,
        ])
    }
    return code
  }

  /// Uses a pairing code; returns the new device with its secret, and nil if the code is unknown, late or was used.
  func pair(
    _ code: String, named name: String, from address: String, at now: Timestamp
  ) throws(SyncError) -> (device: HubDevice, token: String)? {
    let digest = Self.blob(SecretToken.digest(of: code))
    return try write { db in
      let valid = "used IS NULL AND expires >= ?"
      guard
        let row = try Row.fetchOne(
          db, sql: "SELECT * FROM pairing WHERE code = ? AND \(valid)", arguments: [digest, now.seconds])
      else { return nil }
      try db.execute(sql: "UPDATE pairing SET used = ? WHERE code = ?", arguments: [now.seconds, digest])
      let chosen = (row["name"] as String?) ?? (name.isEmpty ? "device" : name)
      return try Self.insert(
        String(chosen.prefix(100)), Scope(rawValue: row["scope"]) ?? .read, from: address, at: now, db)
    }
  }

  /// Withdraws all codes that are still valid.
  func withdrawCodes(at now: Timestamp) throws(SyncError) {
    try write { db in
      try db.execute(sql: "UPDATE pairing SET used = ? WHERE used IS NULL", arguments: [now.seconds])
    }
  }

  static func blob(_ bytes: [UInt8]) -> Data { Data(bytes) }
}
