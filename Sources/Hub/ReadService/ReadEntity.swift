import OrgKit
import SyncKit

/// Something with a row in the answers of the read service.
enum ReadEntity {
  case navigation(Navigation)
  case tag(String)
  case file(HubFile)
  case entry(HubFile, Int)

  /// The entities at which a device begins. The raw values are the ends of their identifiers.
  enum Navigation: String, CaseIterable {
    case forecast, inbox, files, tags, habits

    var title: String {
      switch self {
      case .forecast: "Forecast"
      case .inbox: "Inbox"
      case .files: "Files"
      case .tags: "Tags"
      case .habits: "Habits"
      }
    }
  }

  /// The identifier, which stays the same as long as that of a file or entry does.
  var id: String {
    switch self {
    case .navigation(let place): "nav:" + place.rawValue
    case .tag(let name): "tag:" + name
    case .file(let file): ItemID.file(file.path)
    case .entry(let file, let place): file.ids[place]
    }
  }

  /// The row, with the columns of all requests.
  ///
  /// - Parameter children: the identifiers of the entities below it.
  func row(children: [String]) -> ReadRow {
    var cells: [ReadColumn: String] = [
      .permID: id, .children: JSON.array(children.map(JSON.string)).line, .images: "{}", .properties: "[]",
      .identifier: id, .refcon: "{}",
    ]
    switch self {
    case .navigation(let place):
      cells.merge([.category: "Navigation", .summaryHeader: place.title, .rootLevel: "1"]) { $1 }
      cells[.summary] = children.count.counted("entry", "entries")
    case .tag(let name):
      cells.merge([.category: "Tag", .summaryHeader: name]) { $1 }
      cells[.summary] = children.count.counted("entry", "entries")
    case .file(let file):
      let open = file.items.count(where: \.isOpenTask)
      cells.merge([.category: "File", .summaryHeader: file.path, .identifier: file.path]) { $1 }
      cells[.summary] = "\(file.items.count.counted("entry", "entries")), \(open) to do"
      cells[.refcon] = Self.refcon(file, revision: file.digest.description)
    case .entry(let file, let place): cells.merge(Self.cells(of: file, place)) { $1 }
    }
    return ReadRow(cells)
  }

  private static func cells(of file: HubFile, _ place: Int) -> [ReadColumn: String] {
    let item = file.items[place]
    let text = file.body(place).split(separator: "\n").first { !$0.allSatisfy(\.isWhitespace) }
    let date = (item.scheduled ?? item.deadline)?.timestamp?.description
    return [
      .category: item.category, .refcon: refcon(file, revision: file.revision(place)),
      .summaryHeader: [item.keyword, item.title].compactMap(\.self).joined(separator: " "),
      .summary: [date, text.map(String.init)].compactMap(\.self).joined(separator: " "),
      .identifier: "\(file.path): \(item.path.joined(separator: "/"))",
      .properties: JSON.array(properties(of: item)).line,
    ]
  }

  private static func refcon(_ file: HubFile, revision: String) -> String {
    (["file": .string(ItemID.file(file.path)), "revision": .string(revision)] as JSON).line
  }

  /// The dates, tags and properties, as openBIS writes properties.
  private static func properties(of item: OrgItem) -> [JSON] {
    let dates = [
      ("SCHEDULED", item.scheduled?.timestamp), ("DEADLINE", item.deadline?.timestamp), ("CLOSED", item.closed),
    ]
    let own = dates.compactMap { key, date in date.map { (key, $0.description) } }
    let tags = item.allTags.isEmpty ? [] : [("TAGS", item.allTags.joined(separator: " "))]
    return (own + tags + item.properties.map { ($0.key, $0.value) }).map { key, value in
      ["key": .string(key), "label": .string(key), "value": .string(value)]
    }
  }
}
