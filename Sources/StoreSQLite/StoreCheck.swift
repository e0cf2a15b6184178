internal import GRDB
internal import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The check of the structure of a store's file, when it is opened for the first time after a start of the machine, on another day,
/// or as another file than before.
struct StoreCheck {
  private let database: StoreDatabase
  private let now: Timestamp

  private static let interval: Int64 = 86_400

  init(_ database: StoreDatabase, now: Timestamp) { (self.database, self.now) = (database, now) }

  /// Throws `.wrongReplica` if the file is damaged.
  func runIfDue() async throws(SyncError) {
    let mark = mark
    let seconds = now.seconds
    let isDue = try await database.turn(.reading) { db in
      guard let last: String = try StoreMeta.value("checked", db), let space = last.lastIndex(of: " "),
        last[..<space] == mark, let time = Int64(last[last.index(after: space)...])
      else { return true }
      return time > seconds || time + Self.interval < seconds
    }
    guard isDue else { return }
    try await run()
    try await database.turn(.writing) { db in
      try db.inTransaction(.immediate) {
        try StoreMeta.set("checked", "\(mark) \(seconds)", db)
        return .commit
      }
    }
  }

  func run() async throws(SyncError) {
    let path = database.path
    try await database.turn(.reading) { db in
      let findings = try String.fetchAll(db, sql: "PRAGMA quick_check(1)")
      guard findings == ["ok"] else {
        throw SyncError.damaged(path, findings.first ?? "its structure cannot be checked")
      }
    }
  }

  /// The start of the machine and the file.
  private var mark: String {
    let boot = (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? ""
    return boot.filter { !$0.isWhitespace } + " " + (database.identity?.text ?? "")
  }
}

/// The check of everything in a store, for a diagnosis.
struct StoreDiagnosis {
  private let database: StoreDatabase

  init(_ database: StoreDatabase) { self.database = database }

  func run() async throws(SyncError) -> [Finding] {
    try await StoreCheck(database, now: Timestamp(seconds: 0)).run()
    let (count, problems) = try await problems()
    if problems.isEmpty { return [Finding(.good, "\(database.path) is intact and holds \(count.counted("file"))")] }
    return problems
  }

  /// Returns true if every file can be read and has the content that was written.
  func isIntact() async throws(SyncError) -> Bool { try await problems().found.isEmpty }

  /// Returns the number of files, and what is wrong with them.
  private func problems() async throws(SyncError) -> (count: Int, found: [Finding]) {
    let paths = try await database.turn(.reading) { db in
      var paths: [SyncPath?] = []
      try FileTable.each(db) { paths.append($0?.path) }
      return paths
    }
    let sound = paths.compactMap(\.self)
    var findings: [Finding] = []
    for result in try await StoreReading(database, DigestSink(), check: { _ in }).run(sound) {
      if case .failed(let error) = result { findings.append(Finding(.problem, error.message)) }
    }
    if sound.count < paths.count {
      let count = (paths.count - sound.count).counted("row")
      findings.append(Finding(.problem, "\(count) of \(database.path) cannot be read: the store is damaged"))
    }
    return (paths.count, findings)
  }
}
