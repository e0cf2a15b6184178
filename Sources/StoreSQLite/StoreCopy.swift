internal import GRDB
internal import SyncKit

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The last good copy of a store: a whole database beside it, replaced at once.
struct StoreCopy {
  private let database: StoreDatabase
  private let interval: Duration
  private let now: Timestamp

  /// The path of the copy of the store at `path`.
  static func path(of path: String) -> String { path + "-copy" }

  init(of database: StoreDatabase, every interval: Duration, now: Timestamp) {
    (self.database, self.interval, self.now) = (database, interval, now)
  }

  /// Copies the file if the last copy is older than the interval, or gone, and the store has changed since.
  func makeIfDue() async throws(SyncError) {
    guard interval > .zero else { return }
    let copy = Self.path(of: database.path)
    let (last, counter) = try await database.turn(.reading) { db in
      (try StoreMeta.value("copied", db) as String?, try StoreMeta.counter(db))
    }
    let parts = (last ?? "").split(separator: " ").compactMap { Int64($0) }
    let isThere = FileIdentity(at: copy) != nil
    if isThere, parts.count == 2 {
      guard parts[0] != counter, now.seconds - parts[1] >= interval.components.seconds || now.seconds < parts[1] else {
        return
      }
    }
    // Damage must not replace the copy that helps against it.
    guard counter > 0, try await StoreDiagnosis(database).isIntact() else { return }
    try await make(copy, counter)
  }

  private func make(_ copy: String, _ counter: Int64) async throws(SyncError) {
    try StoreFailpoint.copying.reach()
    let new = copy + ".new"
    _ = unsafe unlink(new)
    let seconds = now.seconds
    try await database.turn(.writing) { db in
      try db.execute(sql: "VACUUM INTO ?", arguments: [new])
    }
    try StoreFailpoint.copied.reach()
    guard unsafe rename(new, copy) == 0 else {
      throw SyncError(.unavailable, "cannot write \(copy): \(unsafe String(cString: strerror(errno)))")
    }
    try await database.turn(.writing) { db in
      try db.inTransaction(.immediate) {
        try StoreMeta.set("copied", "\(counter) \(seconds)", db)
        return .commit
      }
    }
  }
}
