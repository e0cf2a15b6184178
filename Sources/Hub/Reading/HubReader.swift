import OrgKit
import SyncDaemon
import SyncKit

/// Answers questions about the store's entries, as of one moment.
struct HubReader {
  let items: StoreItems
  private let files: HubFiles
  private let seen = SeenFiles()

  /// The files that were read for this answer, each once.
  private final class SeenFiles {
    var files: [String: HubFile?] = [:]
  }

  init(_ configuration: DaemonConfiguration, _ files: HubFiles) async throws {
    self.files = files
    items = try await StoreItems(
      configuration, at: OrgZone.local.moment(at: Int(Runtime.real.now().seconds)))
  }

  /// Returns a file of the store; nil if it is not one.
  func file(_ path: String) -> HubFile? {
    if let file = seen.files[path] { return file }
    let file = files.file(path, items.settings)
    seen.files[path] = .some(file)
    return file
  }

  /// Returns the file with an identifier.
  func file(id: String) -> HubFile? { items.files.names.first { ItemID.file($0) == id }.flatMap { file($0) } }

  /// Returns the entry with an identifier.
  func entry(_ id: String) throws -> (file: HubFile, place: Int)? {
    if ItemID.isMade(id) {
      for name in items.files.names where id.hasPrefix(ItemID.prefix(ofFile: name)) {
        if let file = file(name), let place = file.place(id: id) { return (file, place) }
      }
    }
    for name in try filesOf(id) {
      if let file = file(name), let place = file.place(id: id) { return (file, place) }
    }
    return nil
  }

  /// The files with an entry that has this property `ID`, in order.
  func filesOf(_ id: String) throws -> [String] {
    guard ItemID.isUsable(id) else { return [] }
    return try items.items(withProperty: ["ID"]).filter { $0.id == id }.map(\.file)
  }

  /// The entry of an item for a device; nil if the file has changed since the item was read.
  func json(_ item: OrgItem) -> JSON? { place(of: item).map { $0.json($1) } }

  /// The same with its text.
  private func whole(_ item: OrgItem) -> JSON? { place(of: item).map { $0.whole($1) } }

  /// Returns the file and place of an item; nil if the file has changed since the item was read.
  func place(of item: OrgItem) -> (HubFile, Int)? {
    guard let file = file(item.file), let place = file.place(line: item.line), file.items[place].title == item.title
    else { return nil }
    return (file, place)
  }

  // MARK: Lists

  /// The agenda of some days.
  func agenda(from text: String?, days: Int) throws -> JSON {
    let start = try day(text)
    let rows = try items.agenda(from: start, span: .days(days))
    var byDay: [OrgDay: [JSON]] = [:]
    for row in rows where ![.day, .header, .grid, .line].contains(row.kind) {
      byDay[row.day ?? start, default: []].append(json(row))
    }
    let list = (0..<days).map { number -> JSON in
      let day = start.advanced(by: number)
      return [
        "date": .string(day.iso), "weekday": .string(Self.weekdays[day.weekday - 1]), "rows": .array(byDay[day] ?? []),
      ]
    }
    return ["from": .string(start.iso), "days": .array(list)]
  }

  private func day(_ text: String?) throws -> OrgDay {
    guard let text else { return items.now.day }
    guard let day = OrgDay(iso: text) else {
      throw Problem.invalid("?from", "Write the first day as 2026-03-10.")
    }
    return day
  }

  private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

  private func json(_ row: OrgAgendaRow) -> JSON {
    [
      "kind": .string(Self.kinds[row.kind.rawValue] ?? row.kind.rawValue), "extra": .string(row.extra),
      "time": row.time.map { .string($0.description) } ?? .null,
      "endTime": row.endTime.map { .string($0.description) } ?? .null,
      "habit": row.habit.map { ["marks": .string($0.marks), "colours": .string($0.colours)] } ?? .null,
      "text": .string(AgendaLine.text(of: row)), "item": row.item.flatMap(json) ?? .null,
    ]
  }

  private static let kinds = ["upcoming-deadline": "upcomingDeadline", "past-scheduled": "pastScheduled"]

  /// A page of the entries that the parameters select, in the order of their query, otherwise of files and lines.
  func list(_ parameters: [String: String]) throws -> JSON {
    let limit = try number(parameters, "limit", in: 1...500) ?? 100
    let offset = try number(parameters, "after", in: 0...1_000_000_000) ?? 0
    let isWhole = parameters["body"] == "true"
    let answer = { (page: [OrgItem], total: Int) -> JSON in
      let next: JSON = offset + limit < total ? .string(String(offset + limit)) : .null
      return ["items": .array(page.compactMap { isWhole ? whole($0) : json($0) }), "next": next]
    }
    if Self.selections.allSatisfy({ (parameters[$0] ?? "").isEmpty }) {
      let page = try items.page(after: offset, count: limit)
      return answer(page.items, page.total)
    }
    if Self.selections.allSatisfy({ $0 == "q" || (parameters[$0] ?? "").isEmpty }), let query = parameters["q"] {
      let page = try select(query, named: "?q") { try items.page(of: $0, after: offset, count: limit) }
      return answer(page.items, page.total)
    }
    var found = try selected(parameters)
    if let state = parameters["state"] {
      guard state == "open" || state == "done" else { throw Problem.invalid("?state", "Write open or done.") }
      found = found.filter { state == "open" ? $0.isOpenTask : $0.isDone }
    }
    if let tag = parameters["tag"] { found = found.filter { $0.allTags.contains(tag) } }
    if let id = parameters["file"] { found = found.filter { ItemID.file($0.file) == id || $0.file == id } }
    return answer(Array(found.dropFirst(offset).prefix(limit)), found.count)
  }

  /// The parameters that leave entries out.
  private static let selections = ["q", "match", "tag", "file", "state"]

  private func selected(_ parameters: [String: String]) throws -> [OrgItem] {
    let text = parameters["match"].map { "match:\($0)" } ?? parameters["q"] ?? ""
    guard !text.isEmpty else { return Array(try items.all().joined()) }
    return try select(text, named: parameters["match"] == nil ? "?q" : "?match")
  }

  /// Returns the items that a query selects. Throws a problem that names its place in the request if it is not one.
  func select(_ query: String, named pointer: String) throws -> [OrgItem] {
    try select(query, named: pointer, items.select)
  }

  private func select<Result>(
    _ query: String, named pointer: String, _ body: (OrgQuery) throws -> Result
  ) throws -> Result {
    do { return try body(try OrgQuery(query)) } catch let error as OrgQueryError {
      throw Problem.invalid(pointer, "\(error)")
    }
  }

  /// Returns a number of the query.
  func number(_ parameters: [String: String], _ name: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = parameters[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      let limit = range.upperBound == .max ? "" : " to \(range.upperBound)"
      throw Problem.invalid("?\(name)", "Write a number from \(range.lowerBound)\(limit).")
    }
    return number
  }

  /// The tags with the numbers of entries that have them.
  func tags() throws -> JSON {
    let tags = try items.tagCounts().sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return ["tags": .array(tags.map { ["name": .string($0.key), "entries": .integer($0.value)] })]
  }

  /// The Org files of the store.
  func allFiles() throws -> JSON {
    let files = try items.counts().map { HubFile.summary(path: $0.path, entries: $0.entries, open: $0.open) }
    return ["files": .array(files)]
  }

  /// The habits with their graphs.
  func habits() throws -> JSON {
    let today = items.now.day
    let habits = try items.items(withProperty: ["STYLE"]).compactMap { item -> JSON? in
      guard !item.isArchived, !item.isComment, let habit = OrgHabit(item), let json = json(item) else { return nil }
      let graph = habit.graph(today: today)
      return [
        "item": json, "marks": .string(graph.marks), "colours": .string(graph.colours),
        "streak": .integer(habit.streak(on: today)),
      ]
    }
    return ["habits": .array(habits)]
  }

  /// The entries to do before or after an event, which their properties `BEFORE` and `AFTER` name.
  func bundles() throws -> JSON {
    let keys = ["BEFORE", "AFTER"]
    let items = try items.items(withProperty: keys).filter { item in
      !item.isArchived && !item.isComment && keys.contains { item[property: $0] != nil }
    }
    return ["items": .array(items.compactMap(json))]
  }

  /// What `syncd review` asks about, with the days in a row on which the review was completed.
  func review(inbox: String, _ days: ReviewDays) throws -> JSON {
    let steps = try ReviewSteps(items, inbox: inbox)
    let list = { (items: [OrgItem]) in JSON.array(items.compactMap(whole)) }
    return [
      "today": .string(items.now.day.iso), "inbox": list(steps.inbox), "stuck": list(steps.stuck),
      "waiting": list(steps.waiting), "picks": list(steps.picks), "done": .boolean(days.contains(items.now.day)),
      "streak": .integer(days.streak(on: items.now.day)),
    ]
  }

  /// The places to which an entry can be moved: files, then entries down to a level.
  ///
  /// - Parameters:
  ///   - limit: the number of places; `more` says whether there are others.
  ///   - text: words that the names must have.
  func targets(level: Int, limit: Int, having text: String) throws -> JSON {
    let words = text.lowercased().split(separator: " ")
    let isHit = { (name: String) -> Bool in
      guard !words.isEmpty else { return true }
      let name = name.lowercased()
      return words.allSatisfy { name.contains($0) }
    }
    var targets = items.files.names.filter(isHit).map { name -> JSON in
      ["id": .string(ItemID.file(name)), "name": .string(name), "level": 0]
    }
    var (offset, total) = (0, 1)
    while offset < total, targets.count <= limit {
      let page = try items.page(after: offset, count: Self.batch)
      (offset, total) = (offset + Self.batch, page.total)
      for item in page.items where item.level <= level && !item.isArchived && !item.isComment {
        let name = ([item.file] + item.path).joined(separator: "/")
        guard targets.count <= limit, isHit(name), let (file, place) = place(of: item) else { continue }
        targets.append(["id": .string(file.ids[place]), "level": .integer(item.level), "name": .string(name)])
      }
    }
    return ["targets": .array(Array(targets.prefix(limit))), "more": .boolean(targets.count > limit)]
  }

  /// The number of entries that are read at once.
  private static let batch = 5_000

  /// The running clock.
  func clock() throws -> JSON {
    if let (item, entry) = try items.runningClock(), let json = json(item) {
      return ["running": ["item": json, "since": .string(entry.time.description)]]
    }
    return ["running": .null]
  }

  /// The capture templates.
  func templates() -> JSON {
    let inbox: JSON = ["key": "", "name": "Inbox", "type": "entry"]
    let own = (items.settings["org-capture-templates"]?.elements ?? []).compactMap { value -> JSON? in
      guard let parts = value.elements, parts.count > 3, let key = parts[0].text, let name = parts[1].text else {
        return nil
      }
      return ["key": .string(key), "name": .string(name), "type": .string(parts[2].symbol ?? "entry")]
    }
    return ["templates": .array([inbox] + own)]
  }

  /// The task states for a new entry: those of Org's variables.
  func states() throws -> JSON {
    let document = OrgDocument([], todoKeywords: items.settings.todoLines)
    let done = document.doneKeywords
    return [
      "open": .array(document.todoKeywords.filter { !done.contains($0) }.map(JSON.string)),
      "done": .array(done.map(JSON.string)),
    ]
  }
}
