import SyncKit

internal import class GRDB.Database

/// Writes the record of a part of a pass.
struct RecordWriter {
  private let record: Record
  private let stamp: Stamp
  private let order: SharedRecordOrder
  private let db: Database
  private let before: RemoteRow
  private var remote: RemoteRow
  private var baseChanged = false

  init(_ record: Record, _ stamp: Stamp, _ order: SharedRecordOrder, _ db: Database) throws {
    self.record = record
    self.stamp = stamp
    self.order = order
    self.db = db
    // A remote that was never met gets a row once there is something to write into it.
    before = try RemoteRow.read(record.remote, db) ?? RemoteRow(new: record.remote, db)
    remote = before
  }

  /// Writes everything, and returns the archive's generation if it changed.
  mutating func write() throws -> Int? {
    if record.startsAgain { try startAgain() }
    try writeBase()
    try writeActions()
    try writeConflicts()
    try writeDeletions()
    if let ended = record.ended { try IntendedChangeTable.end(ended, of: record.remote, db) }
    if let roots = record.roots { (remote.localRoot, remote.remoteRoot) = roots }
    if let stamped = record.stamped { remote.remoteRoot?.generation = stamped }
    if let cursors = record.cursors { (remote.localCursor, remote.remoteCursor) = cursors }
    let generation = try baseChanged ? countUp() : nil
    if remote != before { try remote.write(db) }
    return generation
  }

  private mutating func startAgain() throws {
    try remote.startAgain(db)
    baseChanged = true
  }

  private mutating func writeBase() throws {
    guard !record.agreements.isEmpty || !record.forgotten.isEmpty else { return }
    let told = Set(record.actions.map(\.path))
    let others = try RemoteRow.others(than: remote.name, db)
    let isBehind = try !LaterVersionTable.isEmpty(of: remote.name, db)
    for agreement in record.agreements {
      guard let replaced = try AgreementTable.write(agreement, of: &remote, db) else { continue }
      if isBehind { try LaterVersionTable.remove(agreement.path, of: remote.name, db) }
      let earlier = others.filter { order.isBefore(record, $0.name, agreement.path) }
      try AgreementTable.noteLater(agreement, for: earlier, db)
      // Another revision of the same content does not affect other remotes.
      baseChanged = baseChanged || replaced.digest != agreement.digest
      // Files that are equal on the first pass existed before it; only files with an action are new.
      guard replaced.digest != nil || told.contains(agreement.path) else { continue }
      try turn(agreement.path, from: replaced.digest, to: agreement.digest)
    }
    for path in record.forgotten {
      guard let replaced = try AgreementTable.remove(path, of: &remote, db) else { continue }
      if isBehind { try LaterVersionTable.remove(path, of: remote.name, db) }
      baseChanged = true
      try turn(path, from: replaced.digest, to: nil)
    }
  }

  private func turn(_ path: SyncPath, from old: Digest?, to new: Digest?) throws {
    guard old != new else { return }
    try stamp.run.begin(age: stamp.age, db)
    try VersionTable.turn(path, from: old, to: new, in: stamp.run, db)
    guard let old, try ContentTable.holds(old, db) else { return }
    try VersionTable.insert(old, of: path, from: .both, of: record.remote, stamp, db)
  }

  private func writeActions() throws {
    guard !record.actions.isEmpty else { return }
    try stamp.run.begin(age: stamp.age, db)
    for action in record.actions { try ActionTable.insert(action, of: record.remote, in: stamp.run, db) }
  }

  private func writeConflicts() throws {
    if !record.opened.isEmpty { try stamp.run.begin(age: stamp.age, db) }
    for conflict in record.resolved { try ConflictTable.remove(conflict, of: record.remote, db) }
    for conflict in record.opened { try ConflictTable.insert(conflict, of: record.remote, stamp, db) }
  }

  private func writeDeletions() throws {
    for item in record.used { try HoldTable.use(item, of: record.remote, db) }
    try DeletionTable.add(record.deletions, of: record.remote, at: stamp.time, db)
    if let hold = record.hold { try HoldTable.set(hold, of: record.remote, at: stamp.time, db) }
  }

  /// Increments the generations. A higher one on the remote was written by an archive that has been lost since.
  private mutating func countUp() throws -> Int {
    remote.generation = max(remote.generation, record.roots?.remote.generation ?? 0) + 1
    var archive = try ArchiveRow.read(db)
    archive.generation += 1
    try archive.write(db)
    return archive.generation
  }
}
