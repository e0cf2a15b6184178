import ItemIndex
package import OrgKit
import SyncKit

/// The entries of the store's Org files, as the commands that list entries read them: from the index, otherwise from the files.
package struct StoreItems {
  /// Org's variables.
  package let settings: OrgSettings
  /// The wall time.
  package let now: OrgMoment
  private let index: StoreIndex?
  private let texts: EntryTexts

  /// Reads the files of a store, as of a wall time.
  package init(_ configuration: DaemonConfiguration, at now: OrgMoment) async throws {
    let settings = try await OrgVariables.effective(configuration)
    try self.init(configuration, settings, at: now)
  }

  /// Reads the files of a listing of the store; without one they are listed.
  init(
    _ configuration: DaemonConfiguration, _ settings: OrgSettings, _ listing: StoreListing? = nil, at now: OrgMoment
  ) throws {
    let store = try configuration.store.files()
    (self.settings, self.now) = (settings, now)
    index = try StoreIndex(configuration, store, listing, settings)
    texts = EntryTexts(store, settings)
    // Without an index, every answer needs the files: an error must not look like a store without any.
    if index == nil { try texts.load() }
  }

  /// The files of the store.
  package var files: OrgFileSet { texts.files }

  /// What exists and could not be read so far, by path, with the reasons: its entries are missing in the answers.
  package var unread: [String: String] { (index?.unread ?? [:]).merging(texts.unread) { $1 } }

  /// All items by file, the files in order.
  package func all() throws -> [[OrgItem]] { try read { try $0.all() } ?? texts.folder.items }

  /// Returns some of all items, in the order of files and lines, with the number of all.
  package func page(after offset: Int, count: Int) throws -> (items: [OrgItem], total: Int) {
    if let page = try read({ try $0.page(after: offset, count: count) }) { return page }
    let all = texts.folder.items.joined()
    return (Array(all.dropFirst(offset).prefix(count)), all.count)
  }

  /// The numbers of entries and of open tasks in each file, the files in order.
  package func counts() throws -> [(path: String, entries: Int, open: Int)] {
    try read { try $0.counts() }
      ?? texts.folder.items.compactMap { items in
        items.first.map { ($0.file, items.count, items.count(where: \.isOpenTask)) }
      }
  }

  /// The item whose clock is running, with the line of the log that says so.
  package func runningClock() throws -> (item: OrgItem, entry: OrgLogEntry)? {
    for item in try (read { try $0.itemsWithLog() } ?? texts.folder.items).joined() {
      if let entry = item.log.first(where: \.isRunningClock) { return (item, entry) }
    }
    return nil
  }

  /// Returns the items with one of some properties, and perhaps others. The keys are in capitals.
  package func items(withProperty keys: [String]) throws -> [OrgItem] {
    Array(try read { try $0.items(withProperty: keys) }?.joined() ?? texts.folder.items.joined())
  }

  /// Returns the items that a query selects, in its order.
  package func select(_ query: OrgQuery) throws -> [OrgItem] {
    try read { try $0.select(query, now: now, text: texts.text) }
      ?? query.select(Array(texts.folder.items.joined()), now: now, groups: texts.folder.groups, text: texts.text)
  }

  /// Returns some of the items that a query selects, in its order, with the number of all.
  package func page(of query: OrgQuery, after offset: Int, count: Int) throws -> (items: [OrgItem], total: Int) {
    if let page = try read({ try $0.page(of: query, now: now, after: offset, count: count) }) ?? nil { return page }
    let all = try select(query)
    return (Array(all.dropFirst(offset).prefix(count)), all.count)
  }

  /// Returns the alerts that are due after `start` and not after `end`, in seconds since 1970, in order.
  package func alerts(_ settings: AlertSettings, zone: OrgZone, after start: Int, to end: Int) throws -> [OrgAlert] {
    let plan = OrgAlertPlan(settings.rules, zone: zone)
    let days = plan.days(from: start, to: end)
    let dated = try read { try $0.items(on: days, withLog: false) } ?? texts.folder.items
    let candidates = try dated.flatMap(\.self) + items(withProperty: ["APPT_WARNTIME"])
    let groups = try read { try $0.groups() } ?? texts.folder.groups
    let selected = try OrgQuery(settings.query).select(candidates, now: now, groups: groups, text: texts.text)
    return plan.alerts(of: selected, after: start, to: end)
  }

  /// The numbers of entries that have each tag themselves.
  package func tagCounts() throws -> [String: Int] {
    try read { try $0.tagCounts() }
      ?? Dictionary(texts.folder.items.joined().flatMap(\.tags).map { ($0, 1) }, uniquingKeysWith: +)
  }

  /// Returns the agenda of some days.
  package func agenda(from start: OrgDay? = nil, span: OrgAgendaSpan, _ variables: OrgSettings? = nil) throws
    -> [OrgAgendaRow]
  {
    let settings = variables ?? settings
    let need = OrgAgenda.candidateDays(from: start ?? now.day, span: span, settings: settings)
    let items = try need.flatMap { need in try read { try $0.items(on: need.days, withLog: need.withLog) } } ?? all()
    return try agenda(items, settings).days(from: start, span: span)
  }

  /// The agenda views of all entries.
  package func agenda() throws -> OrgAgenda { try agenda(all(), settings) }

  private func agenda(_ items: [[OrgItem]], _ settings: OrgSettings) throws -> OrgAgenda {
    let states = try read { (try $0.groups(), try $0.states()) } ?? (texts.folder.groups, texts.folder.states)
    return OrgAgenda(items, now: now, settings: settings, groups: states.0, states: states.1, text: texts.text)
  }

  /// Returns the text of an item's entry below its meta data.
  package func body(_ item: OrgItem) -> String { texts.body(item) }

  private func read<Value>(_ body: (IndexReader) throws -> Value) throws -> Value? { try index?.read(body) }
}

/// The texts of entries, read from the files when they are needed.
private final class EntryTexts {
  private let store: any LocalFiles
  private let settings: OrgSettings
  private var listed: StoreFiles?
  /// The files. They could be listed a moment ago; if they cannot now, there are none.
  private(set) lazy var files = listedNow?.set ?? OrgFileSet([:], folder: store.root)
  private var documents: [String: OrgDocument] = [:]
  /// All entries, read from the files themselves.
  private(set) lazy var folder = OrgFolder(files, settings)

  init(_ store: any LocalFiles, _ settings: OrgSettings) { (self.store, self.settings) = (store, settings) }

  /// Lists the files now.
  func load() throws(SyncError) { listed = try StoreFiles(store) }

  private var listedNow: StoreFiles? {
    if listed == nil { listed = try? StoreFiles(store) }
    return listed
  }

  /// What exists and could not be read so far, by path, with the reasons.
  var unread: [String: String] { listed?.unread ?? [:] }

  func text(_ item: OrgItem) -> String {
    entry(item).map { String(decoding: $0.bytes, as: UTF8.self) } ?? item.headline
  }

  func body(_ item: OrgItem) -> String { entry(item)?.body ?? "" }

  private func entry(_ item: OrgItem) -> OrgEntry? {
    let document = documents[item.file] ?? OrgDocument(files[item.file] ?? [], todoKeywords: settings.todoLines)
    documents[item.file] = document
    return document.entry(atLine: item.line)
  }
}
