import ArgumentParser
import OrgKit
import SyncDaemon
import SyncKit

/// `syncd search`: entries that a query selects.
struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "List entries that a query selects.",
    discussion: """
      A query is written in the words of Orgzly: i.next (state), it.todo, t.work (tag), tn.work (own tag), b.notes (file), \
      p.a (priority), s.today (scheduled until then), d.3d (deadline), c. (closed), e. (timestamp), cr. (created), with eq, ne, \
      lt, le, gt, ge before the date. A point in front negates, `or` and brackets combine, o.d sorts, .o.d reverses. Also: \
      prop.KEY.value, near.48.2,16.4,500m, file.GLOB, path.TITLE, before.EVENT, after.EVENT, and match: with a match of tags and \
      properties in Org's syntax. Other words are searched in the text.

      EXAMPLES
        syncd search 'i.next t.work o.d'      next actions with the tag work, by deadline
        syncd search 'd.le.3d .it.done'       deadlines until in three days
        syncd search '"two words" b.journal'  a phrase in journal.org
        syncd search 'match:work-boss/NEXT'   a match of Org
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var options: ItemOptions
  @Argument(help: "Query; several words are joined.")
  var query: [String]

  func run() async throws {
    try await options.with(common) { items in
      let query = try OrgQuery(query.joined(separator: " "))
      if let days = query.agendaDays { return try showAgenda(query, days, items) }
      ItemList.print(try items.select(query), common)
    }
  }

  /// With `ad.N` the selected entries are shown as an agenda.
  private func showAgenda(_ query: OrgQuery, _ days: Int, _ items: StoreItems) throws {
    let selected = Set(try items.select(query).map { "\($0.file):\($0.line)" })
    let rows = try items.agenda(span: .days(days)).filter { row in
      row.item.map { selected.contains("\($0.file):\($0.line)") } ?? true
    }
    if common.json { return ItemList.print(try items.select(query), common) }
    AgendaCommand.print(rows, common)
  }
}

/// `syncd near`: entries at places around one, the nearest first.
struct NearCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "near", abstract: "List entries around a place, the nearest first.",
    discussion: """
      An entry has a place by its property COORDINATES, such as 48.2082,16.3738, and a radius by LOCATION_RADIUS in metres.

      EXAMPLES
        syncd near 48.2082,16.3738
        syncd near 48.2082,16.3738,2km
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var options: ItemOptions
  @Argument(help: ArgumentHelp("Latitude, longitude and radius. Default radius: 500m.", valueName: "lat,lon[,radius]"))
  var place: String

  func run() async throws {
    guard let center = OrgLocation(place) else {
      throw ValidationError("\(place) is not a place; write latitude,longitude, such as 48.2082,16.3738")
    }
    try await options.with(common) { items in
      let found = try items.select(try OrgQuery("near.\(place)"))
      let distances = found.map { ($0, $0.location?.distance(center.latitude, center.longitude) ?? 0) }
      ItemList.print(distances.sorted { $0.1 < $1.1 }.map(\.0), common)
    }
  }
}

/// A list of entries on the terminal or as JSON.
enum ItemList {
  static func print(_ items: [OrgItem], _ common: CommonOptions) {
    if common.json { return Console.print(json: ["version": 1, "items": .array(items.map(\.json))]) }
    Console.print(lines: items.lazy.map(line))
    if items.isEmpty, !common.quiet { Console.print("no entries") }
  }

  /// Returns the line of an entry.
  static func line(_ item: OrgItem) -> String {
    let tags = item.allTags.isEmpty ? "" : "  :\(item.allTags.joined(separator: ":")):"
    let dates = [
      item.scheduled?.timestamp.map { "scheduled \($0.date.iso)" },
      item.deadline?.timestamp.map { "deadline \($0.date.iso)" },
    ].compactMap(\.self).joined(separator: ", ")
    return "\(item.file):\(item.line)  \(item.headline)\(tags)" + (dates.isEmpty ? "" : "  \(dates)")
  }
}

extension OrgItem {
  /// The entry as JSON.
  var json: JSON {
    let optional = { (text: String?) in text.map(JSON.string) ?? .null }
    return [
      "at": place(), "title": .string(title), "level": .integer(level), "todo": optional(keyword),
      "done": .boolean(isDone),
      "priority": optional(priority), "category": .string(category), "tags": .array(allTags.map(JSON.string)),
      "scheduled": optional(scheduled?.timestamp?.description), "deadline": optional(deadline?.timestamp?.description),
      "closed": optional(closed?.description),
    ]
  }
}
