import Foundation
import GRDB
import ProgramTesting
import SyncKit
import SyncKitTesting

@testable import StoreSQLite

/// A store in a temporary folder.
final class StoreBox: Sendable {
  let scratch = ScratchFolder()
  var path: String { scratch.path + "/org.sqlite" }

  /// The store as a device opens it.
  func open(seed: UInt64 = 1, copyingEvery copying: Duration = .zero) async throws -> any Replica {
    var parts = RemoteParts.inMemory(name: "store", seed: seed)
    parts.runtime = .real
    return try await SQLiteStore(path: path, copyingEvery: copying).open(parts)
  }

  /// A store with these files.
  func made(_ files: [String: String], copyingEvery copying: Duration = .zero) async throws -> any Replica {
    let store = try await open(copyingEvery: copying)
    _ = try await store.claim()
    for (name, text) in files.sorted(by: { $0.key < $1.key }) { try await store.put(text, name) }
    return store
  }

  /// Changes the database as another program would, without the rules of the store.
  func execute(_ sql: String) throws {
    let database = StoreDatabase(at: path)
    try database.turnNow(.writing) { db in try db.execute(sql: sql) }
    database.close()
  }

  /// Overwrites bytes in the middle of the file, after everything is in it.
  func spoil(_ part: Range<Double>) throws {
    try execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let file = try FileHandle(forUpdating: URL(filePath: path))
    let size = Double(try file.seekToEnd())
    let (start, end) = (UInt64(size * part.lowerBound), UInt64(size * part.upperBound))
    try file.seek(toOffset: start)
    try file.write(contentsOf: Data(repeating: 0xA5, count: Int(end - start)))
    try file.close()
  }
}

extension SyncPath {
  init(named name: String) throws {
    guard let path = SyncPath(name) else { throw TestFailure("\(name) is not a path") }
    self = path
  }
}

extension Storage {
  func put(_ text: String, _ name: String, modified: Timestamp? = nil) async throws {
    let path = try SyncPath(named: name)
    let condition: Condition =
      if case .present(let entry) = try await confirm(file: path) { .unchanged(entry.revision) } else { .absent }
    let change = Change(path: path, content: Content(Array(text.utf8)), condition: condition, modified: modified)
    guard case .done = try await commit(change: change) else { throw TestFailure("cannot write \(name)") }
  }

  func text(_ name: String) async throws -> String? {
    let sink = MemorySink(limit: .max)
    switch try await read(file: SyncPath(named: name), into: sink) {
    case .read: return String(decoding: sink.bytes, as: UTF8.self)
    case .absent: return nil
    case .postponed(let reason): throw TestFailure(reason)
    case .failed(let error): throw error
    }
  }

  var names: [String] {
    get async throws { try await list(since: Known()).entries.map(\.path.description) }
  }
}
