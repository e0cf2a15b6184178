internal import GRDB
import OrgKit
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes files and entries into the tables, in a transaction of the caller.
struct IndexWriter {
  let db: Database
  let options: IndexOptions

  // MARK: Entries

  /// Returns the identifier of the new entry.
  private func insert(_ entry: IndexedEntry, file: Int64) throws -> Int64 {
    let item = entry.item
    let (days, log) = (item.agendaDays, item.logDays)
    try db.cachedStatement(sql: "INSERT INTO entry VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").execute(
      arguments: [
        file, days?.first, days?.last, log?.first, log?.last, item.keyword?.lowercased(), item.isDone,
        item.priority?.uppercased(), item.scheduled?.timestamp?.date.number,
        item.deadline?.timestamp?.date.number, item.closed?.date.number, entry.encoded.data,
      ])
    let id = db.lastInsertedRowID
    let tag = try db.cachedStatement(sql: "INSERT OR REPLACE INTO tag VALUES (?, ?, ?)")
    for name in item.allTags { try tag.execute(arguments: [name, id, item.tags.contains(name)]) }
    let property = try db.cachedStatement(sql: "INSERT INTO property VALUES (?, ?, ?)")
    for (key, value) in IndexedEntry.properties(of: item) { try property.execute(arguments: [key, value, id]) }
    try db.cachedStatement(sql: "INSERT INTO words (rowid, text) VALUES (?, ?)").execute(
      arguments: [id, String(decoding: entry.words, as: UTF8.self)])
    return id
  }

  /// Removes an entry. Its words stay: they refer to no entry any more, and identifiers are not used again.
  private func remove(_ id: Int64) throws {
    let bytes = try Row.fetchOne(db, sql: "SELECT item FROM entry WHERE id = ?", arguments: [id])?.bytes(at: 0)
    if let item = bytes.flatMap({ OrgItem(encoded: $0, file: "", line: 0) }) {
      for name in item.allTags {
        try db.execute(sql: "DELETE FROM tag WHERE name = ? AND entry = ?", arguments: [name, id])
      }
      for (key, value) in IndexedEntry.properties(of: item) {
        try db.execute(
          sql: "DELETE FROM property WHERE key = ? AND value = ? AND entry = ?", arguments: [key, value, id])
      }
    }
    try db.execute(sql: "DELETE FROM entry WHERE id = ?", arguments: [id])
  }

  // MARK: Files

  /// Writes a file that is not in the index.
  func insert(_ file: IndexedFile, _ stamp: FileStamp, at time: Int64) throws {
    try db.cachedStatement(sql: "INSERT INTO file (path) VALUES (?)").execute(arguments: [file.path])
    let id = db.lastInsertedRowID
    let places = try file.entries.map { EntryPlace(id: try insert($0, file: id), line: $0.line) }
    try update(id, file.facts, places, file.entries.map(\.mark), stamp, at: time)
  }

  /// Writes what is known of a file as a whole, with the places of its entries.
  private func update(
    _ id: Int64, _ facts: FileFacts, _ places: [EntryPlace], _ marks: [OrgEntryMark], _ stamp: FileStamp, at time: Int64
  ) throws {
    try touch(id, stamp, at: time)
    try db.cachedStatement(
      sql: "UPDATE file SET mark = ?, settings = ?, groups = ?, states = ?, places = ?, marks = ? WHERE id = ?"
    ).execute(arguments: [
      facts.mark, facts.settings, facts.groups, facts.states, EntryPlace.bytes(of: places).data,
      OrgEntryMark.bytes(of: marks).data, id,
    ])
  }

  /// Writes that the file had the same content at a time.
  func touch(_ id: Int64, _ stamp: FileStamp, at time: Int64) throws {
    try db.cachedStatement(
      sql: "UPDATE file SET size = ?, modified = ?, changed = ?, inode = ?, checked = ? WHERE id = ?"
    ).execute(arguments: [stamp.size, stamp.modified, stamp.changed, stamp.inode, time, id])
  }

  /// Removes a file with its entries.
  func removeFile(_ id: Int64) throws {
    let places = try places(of: id)
    for place in places { try remove(place.id) }
    try noteStale(places.count)
    try db.execute(sql: "DELETE FROM file WHERE id = ?", arguments: [id])
  }

  private func places(of file: Int64) throws -> [EntryPlace] {
    let row = try Row.fetchOne(db, sql: "SELECT places FROM file WHERE id = ?", arguments: [file])
    return EntryPlace.all(in: row?.bytes(at: 0) ?? [])
  }

  /// Counts the entries whose words are left over.
  private func noteStale(_ count: Int) throws {
    guard count > 0 else { return }
    try db.execute(sql: "UPDATE meta SET value = value + ? WHERE name = 'stale'", arguments: [count])
  }

  /// Writes the new content of a file: only the entries that differ are replaced; the places of all are one value.
  func change(_ id: Int64, _ path: String, to document: OrgDocument, _ stamp: FileStamp, at time: Int64) throws {
    let (facts, marks) = (FileFacts(document), document.entryMarks)
    let row = try Row.fetchOne(db, sql: "SELECT settings, places, marks FROM file WHERE id = ?", arguments: [id])
    let places = EntryPlace.all(in: row?.bytes(at: 1) ?? [])
    let change = EntryChange(
      from: OrgEntryMark.all(in: row?.bytes(at: 2) ?? []), to: marks, isWhole: row?[0] != facts.settings)
    for place in change.old { try remove(places[place].id) }
    try noteStale(change.old.count)
    var reader = options.reader(document, file: path)
    let present = try marks.indices.map { place in
      let line = reader.line(place)
      if place < change.new.lowerBound { return EntryPlace(id: places[place].id, line: line) }
      guard place < change.new.upperBound else {
        return EntryPlace(id: places[place - change.new.upperBound + change.old.upperBound].id, line: line)
      }
      let item = reader.item(place, line: line)
      return EntryPlace(
        id: try insert(IndexedEntry(marks[place], item, text: document.entryBytes(place)), file: id), line: line)
    }
    try update(id, facts, present, marks, stamp, at: time)
  }
}

extension [UInt8] {
  /// The bytes for the database.
  var data: Data { Data(self) }
}

extension Row {
  /// Returns the bytes of a column.
  func bytes(at index: Int) -> [UInt8] {
    (try? withUnsafeData(atIndex: index) { $0.map { [UInt8]($0) } }) ?? []
  }
}
