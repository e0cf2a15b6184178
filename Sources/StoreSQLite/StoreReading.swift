internal import GRDB
internal import SyncKit

/// Reads files of the store into a sink, and compares each content with its digest.
struct StoreReading {
  private let database: StoreDatabase
  private let sink: any ContentSink
  private let check: @Sendable (Database) throws -> Void

  /// The number of bytes of small files that are fetched at once.
  private static let room = 4 << 20

  /// What the database has of a file.
  private enum Found: Sendable {
    case whole(StoredFile, [UInt8])
    case large(StoredFile)
    case absent
    case failed(SyncError)
  }

  init(_ database: StoreDatabase, _ sink: any ContentSink, check: @escaping @Sendable (Database) throws -> Void) {
    (self.database, self.sink, self.check) = (database, sink, check)
  }

  func run(_ paths: [SyncPath]) async throws(SyncError) -> [ReadResult] {
    var results: [ReadResult] = []
    while results.count < paths.count {
      let rest = paths[results.count...]
      for (path, found) in zip(rest, try await fetch(rest)) { results.append(try await receive(found, at: path)) }
    }
    return results
  }

  /// Returns what there is of the first of the paths, up to a number of bytes.
  private func fetch(_ paths: ArraySlice<SyncPath>) async throws(SyncError) -> [Found] {
    try await database.turn(.reading) { [check] db in
      var all: [Found] = []
      var bytes = 0
      try db.inTransaction(.deferred) {
        try check(db)
        for path in paths where bytes < Self.room {
          let found = try Self.find(path, db)
          if case .whole(_, let content) = found { bytes += content.count }
          all.append(found)
        }
        return .commit
      }
      return all
    }
  }

  private static func find(_ path: SyncPath, _ db: Database) throws -> Found {
    do {
      guard let file = try FileTable.find(path, db) else { return .absent }
      if file.size > PartTable.size { return .large(file) }
      return .whole(file, try PartTable.bytes(of: file.content, db))
    } catch let error as SyncError { return .failed(error) }
  }

  private func receive(_ found: Found, at path: SyncPath) async throws(SyncError) -> ReadResult {
    switch found {
    case .absent: return .absent
    case .failed(let error): return .failed(error)
    case .whole(let file, let bytes):
      return result(of: file, try await sink.of(path).receive(bytes))
    case .large(let file):
      if let result = try await stream(file) { return result }
      // The file was replaced meanwhile: the present one is read once.
      guard let now = try await fetch([path]).first else { return .absent }
      guard case .large(let newer) = now else { return try await receive(now, at: path) }
      if newer.revision == file.revision { return .failed(.damagedContent(of: path, found: nil)) }
      return try await stream(newer) ?? .postponed("\(path) kept changing while it was read")
    }
  }

  /// Reads a large file part by part. Returns nil if a part is missing.
  private func stream(_ file: StoredFile) async throws(SyncError) -> ReadResult? {
    do throws(SyncError) {
      let received = try await sink.of(file.path).receive(size: file.size) { [database] intake throws(SyncError) in
        var (size, number): (Int, Int64) = (0, 0)
        while size < file.size {
          let next = number
          let part = try await database.turn(.reading) { db in try PartTable.part(next, of: file.content, db) }
          guard let part, !part.isEmpty else { throw SyncError(.changedMeanwhile, "a part is missing") }
          try await intake.write(part)
          size += part.count
          number += 1
        }
      }
      return result(of: file, received.digest)
    } catch {
      guard error.code == .changedMeanwhile else { throw error }
      return nil
    }
  }

  private func result(of file: StoredFile, _ digest: Digest) -> ReadResult {
    guard digest == file.digest else { return .failed(.damagedContent(of: file.path, found: digest)) }
    var entry = file.entry
    entry.digest = digest
    return .read(entry)
  }
}
