internal import GRDB
package import OrgKit

/// Answers from one state of an index.
package struct IndexReader {
  private let db: Database

  init(_ db: Database) { self.db = db }

  /// The groups of tags of all files.
  package func groups() throws -> OrgTagGroups {
    var groups = OrgTagGroups()
    let rows = try Row.fetchAll(db, sql: "SELECT path, groups FROM file WHERE groups <> ''")
    for row in rows.sorted(by: { ($0[0] as String) < ($1[0] as String) }) {
      for line in (row[1] as String).split(separator: "\n") { groups.add(line: String(line)) }
    }
    return groups
  }

  /// The task states of all files, in order of declaration.
  package func states() throws -> [String] {
    var states: [String] = []
    let rows = try Row.fetchAll(db, sql: "SELECT states, MIN(path) FROM file GROUP BY states")
    for row in rows.sorted(by: { ($0[1] as String) < ($1[1] as String) }) {
      states += (row[0] as String).split(separator: " ").map(String.init).filter { !states.contains($0) }
    }
    return states
  }

  /// The numbers of entries that have each tag themselves.
  package func tagCounts() throws -> [String: Int] {
    let rows = try Row.fetchAll(db, sql: "SELECT name, COUNT(*) FROM tag WHERE own GROUP BY name")
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as String, $0[1] as Int) })
  }

  /// The identifiers of all entries. An entry keeps its own while its text and what it has from its parents stay the same.
  func identifiers() throws -> Set<Int64> { try Int64.fetchSet(db, sql: "SELECT id FROM entry") }

  /// Returns all items.
  package func all() throws -> [[OrgItem]] { try items("1") }

  /// Returns the items with a log or inactive timestamps, and perhaps others.
  package func itemsWithLog() throws -> [[OrgItem]] { try items("logLast IS NOT NULL") }

  /// Returns some of all items, in the order of files and lines, with the number of all. Only those of the page are read.
  ///
  /// - Parameter offset: the number of items before the page.
  package func page(after offset: Int, count: Int) throws -> (items: [OrgItem], total: Int) {
    let rows = try Row.fetchAll(db, sql: "SELECT id, path, length(places) FROM file")
    let files = rows.map { (id: $0[0] as Int64, path: $0[1] as String, count: EntryPlace.count(in: $0[2] as Int)) }
    return try page(of: files, after: offset, count: count) { _ in true }
  }

  /// The same for the items that a query selects; nil if the tables cannot decide the query, or it has an order of its own.
  package func page(
    of query: OrgQuery, now: OrgMoment, after offset: Int, count: Int
  ) throws -> (items: [OrgItem], total: Int)? {
    guard query.isInFileOrder else { return nil }
    let condition = QueryCondition(query.expression, now: now, tags: try tags())
    guard condition.isExact else { return nil }
    var (selected, counts) = (Set<Int64>(), [Int64: Int]())
    let rows = try Row.fetchCursor(
      db, sql: "SELECT id, file FROM entry WHERE \(condition.sql)", arguments: StatementArguments(condition.arguments))
    while let row = try rows.next() {
      selected.insert(row[0])
      counts[row[1], default: 0] += 1
    }
    let files = try Row.fetchAll(db, sql: "SELECT id, path FROM file").compactMap { row in
      counts[row[0]].map { (id: row[0] as Int64, path: row[1] as String, count: $0) }
    }
    return try page(of: files, after: offset, count: count, where: selected.contains)
  }

  /// Returns the items of a page, with the number of all, of files with the numbers of wanted entries in each.
  private func page(
    of files: [(id: Int64, path: String, count: Int)], after offset: Int, count: Int, where isWanted: (Int64) -> Bool
  ) throws -> (items: [OrgItem], total: Int) {
    var (passed, page) = (0, [OrgItem]())
    for file in files.sorted(by: { $0.path < $1.path }) {
      let skipped = max(0, offset - passed)
      passed += file.count
      guard skipped < file.count, page.count < count else { continue }
      page += try items(in: file.id, file.path, skipped..<min(file.count, skipped + count - page.count), isWanted)
    }
    return (page, passed)
  }

  /// Returns the items at some of the wanted places of a file.
  private func items(
    in file: Int64, _ path: String, _ range: Range<Int>, _ isWanted: (Int64) -> Bool
  ) throws -> [OrgItem] {
    guard let row = try Row.fetchOne(db, sql: "SELECT places FROM file WHERE id = ?", arguments: [file]) else {
      throw Self.damage("file \(file)")
    }
    let places = EntryPlace.all(in: row.bytes(at: 0)).filter { isWanted($0.id) }
    guard range.upperBound <= places.count else { throw Self.damage("entry of \(path)") }
    let entry = try db.cachedStatement(sql: "SELECT item FROM entry WHERE id = ?")
    return try places[range].map { place in
      guard let row = try Row.fetchOne(entry, arguments: [place.id]),
        let item = OrgItem(encoded: row.bytes(at: 0), file: path, line: place.line)
      else { throw Self.damage("entry of \(path)") }
      return item
    }
  }

  /// The numbers of entries and of open tasks in each file, by its path.
  package func counts() throws -> [(path: String, entries: Int, open: Int)] {
    let rows = try Row.fetchAll(
      db, sql: "SELECT file, COUNT(*) FROM entry WHERE state IS NOT NULL AND NOT done GROUP BY file")
    let open = Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as Int64, $0[1] as Int) })
    return try Row.fetchAll(db, sql: "SELECT id, path, length(places) FROM file").map {
      ($0[1], EntryPlace.count(in: $0[2]), open[$0[0]] ?? 0)
    }.sorted { $0.path < $1.path }
  }

  /// Returns the items that an agenda of some days can show, and perhaps others.
  package func items(on days: OrgDaySpan, withLog: Bool) throws -> [[OrgItem]] {
    let shown = "last >= ? AND first <= ?"
    guard withLog else { return try items(shown, [days.first, days.last]) }
    return try items(
      "id IN (SELECT id FROM entry WHERE \(shown) UNION SELECT id FROM entry WHERE logLast >= ? AND logFirst <= ?)",
      [days.first, days.last, days.first, days.last])
  }

  /// Returns the items with one of some properties, whose keys are in capitals.
  package func items(withProperty keys: [String]) throws -> [[OrgItem]] {
    let marks = keys.map { _ in "?" }.joined(separator: ", ")
    return try items("id IN (SELECT entry FROM property WHERE key IN (\(marks)))", StatementArguments(keys))
  }

  /// Returns the items that a query selects, in its order.
  ///
  /// - Parameter text: returns the text of an entry, for phrases without words.
  package func select(_ query: OrgQuery, now: OrgMoment, text: (OrgItem) -> String) throws -> [OrgItem] {
    let condition = QueryCondition(query.expression, now: now, tags: try tags())
    let candidates = try rows(condition.sql, StatementArguments(condition.arguments))
    let phrases = try condition.phrases.map { ($0, try entries(having: $0)) }
    let found = Dictionary(phrases) { first, _ in first }
    let ids = found.isEmpty ? [:] : Dictionary(candidates.map { (Place($0.item), $0.id) }) { first, _ in first }
    return try query.select(candidates.map(\.item), now: now, groups: groups()) { item, phrase in
      guard let found = found[phrase] else { return text(item).contains(phrase) }
      return ids[Place(item)].map(found.contains) ?? false
    }
  }

  /// The names of all tags. Each is found in the order of the table by its predecessor, which skips the rows of equal names.
  private func tags() throws -> [String] {
    try String.fetchAll(
      db,
      sql: """
        WITH RECURSIVE names(name) AS (
          SELECT MIN(name) FROM tag
          UNION ALL SELECT (SELECT MIN(name) FROM tag WHERE tag.name > names.name) FROM names WHERE name IS NOT NULL)
        SELECT name FROM names WHERE name IS NOT NULL
        """)
  }

  private struct Place: Hashable {
    var file: String
    var line: Int

    init(_ item: OrgItem) { (file, line) = (item.file, item.line) }
  }

  private func entries(having phrase: String) throws -> Set<Int64> {
    try Int64.fetchSet(
      db, sql: "SELECT rowid FROM words WHERE words MATCH ?",
      arguments: [QueryCondition.pattern(OrgWords.words(phrase))])
  }

  /// Returns the items that a condition selects by file, the files in order.
  private func items(_ condition: String, _ arguments: StatementArguments = []) throws -> [[OrgItem]] {
    let items = try rows(condition, arguments).map(\.item)
    return items.chunked { $0.file == $1.file }
  }

  /// Returns the items that a condition selects in the order of files and lines, with their identifiers.
  private func rows(_ condition: String, _ arguments: StatementArguments) throws -> [(id: Int64, item: OrgItem)] {
    var byFile: [Int64: [(id: Int64, bytes: [UInt8])]] = [:]
    let rows = try Row.fetchCursor(db, sql: "SELECT file, id, item FROM entry WHERE \(condition)", arguments: arguments)
    while let row = try rows.next() { byFile[row[0], default: []].append((row[1], row.bytes(at: 2))) }
    let file = try db.cachedStatement(sql: "SELECT path, places FROM file WHERE id = ?")
    let files = try byFile.map { id, rows in
      guard let row = try Row.fetchOne(file, arguments: [id]) else { throw Self.damage("file \(id)") }
      return (path: row[0] as String, places: row.bytes(at: 1), rows: rows)
    }
    return try files.sorted { $0.path < $1.path }.flatMap { path, places, rows in
      // The places of a file are in the order of its lines.
      let wanted = Dictionary(rows) { first, _ in first }
      let found = EntryPlace.all(in: places).compactMap { place -> (id: Int64, item: OrgItem)? in
        guard let bytes = wanted[place.id], let item = OrgItem(encoded: bytes, file: path, line: place.line) else {
          return nil
        }
        return (place.id, item)
      }
      guard found.count == rows.count else { throw Self.damage("entry of \(path)") }
      return found
    }
  }

  private static func damage(_ what: String) -> DatabaseError {
    DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the index has no readable \(what)")
  }
}

extension [OrgItem] {
  /// The items in runs whose neighbours belong together.
  fileprivate func chunked(_ belong: (OrgItem, OrgItem) -> Bool) -> [[OrgItem]] {
    var chunks: [[OrgItem]] = []
    for item in self {
      if let last = chunks.last?.last, belong(last, item) {
        chunks[chunks.count - 1].append(item)
      } else {
        chunks.append([item])
      }
    }
    return chunks
  }
}
