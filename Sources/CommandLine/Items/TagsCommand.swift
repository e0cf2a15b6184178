import ArgumentParser
import OrgKit
import SyncDaemon
import SyncKit

/// `syncd tags`: the tags of the store with their numbers of entries.
struct TagsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tags", abstract: "List tags with the number of entries that have them.")

  @OptionGroup var common: CommonOptions
  @OptionGroup var options: ItemOptions

  func run() async throws {
    try await options.with(common) { items in
      let tags = try items.tagCounts().sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      if common.json {
        let list = tags.map { tag, count in ["name": .string(tag), "entries": .integer(count)] as JSON }
        return Console.print(json: ["version": 1, "tags": .array(list)])
      }
      for (tag, count) in tags { Console.print("\(tag)  \(count)") }
      if tags.isEmpty, !common.quiet { Console.print("no tags") }
    }
  }
}

/// `syncd habits`: the habits with their graphs.
struct HabitsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "habits", abstract: "List habits with the graph of the last three weeks and the next one.",
    discussion: """
      `*` is a day on which the habit was done, `!` today. The streak is the number of times in a row that it was done in time.
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var options: ItemOptions

  func run() async throws {
    try await options.with(common) { items in
      let today = items.now.day
      let habits = try items.items(withProperty: ["STYLE"]).compactMap { item in
        item.isArchived || item.isComment ? nil : OrgHabit(item).map { (item, $0) }
      }
      if common.json {
        let list = habits.map { item, habit in json(item, habit, today) }
        return Console.print(json: ["version": 1, "habits": .array(list)])
      }
      let width = habits.map { $0.0.title.count }.max() ?? 0
      for (item, habit) in habits {
        let title = item.title + String(repeating: " ", count: width - item.title.count)
        Console.print("\(title)  |\(habit.graph(today: today).marks)|  streak \(habit.streak(on: today))")
      }
      if habits.isEmpty, !common.quiet { Console.print("no habits") }
    }
  }

  private func json(_ item: OrgItem, _ habit: OrgHabit, _ today: OrgDay) -> JSON {
    let graph = habit.graph(today: today)
    return [
      "at": item.place(), "title": .string(item.title), "scheduled": .string(habit.scheduled.iso),
      "interval": .integer(habit.interval), "longest-interval": habit.longestInterval.map(JSON.integer) ?? .null,
      "done": .array(habit.done.sorted().map { .string($0.iso) }), "streak": .integer(habit.streak(on: today)),
      "graph": [.string(graph.marks), .string(graph.colours)],
    ]
  }
}

/// `syncd calendar`: the entries as a calendar.
struct CalendarCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "calendar", abstract: "Export entries as a calendar.", subcommands: [Export.self])

  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export", abstract: "Print timestamps and deadlines as an iCalendar document.",
      discussion: """
        Follows Org's export: an event for each active timestamp, and for deadlines of entries that are not tasks.

        EXAMPLES
          syncd calendar export > notes.ics
          syncd calendar export --todo 'b.work'
        """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var options: ItemOptions
    @Flag(help: "Also export open tasks as VTODO.")
    var todo = false
    @Argument(help: "Query that selects the entries. Default: all.")
    var query: [String] = []

    func run() async throws {
      try await options.with(common) { items in
        var settings = items.settings
        if todo { settings["org-icalendar-include-todo"] = .yes }
        let selected = try items.select(try OrgQuery(query.joined(separator: " ")))
        let export = CalendarExport(settings, now: items.now, zone: .namedLocal) { $0.stableID }
        let calendar = export.calendar(
          selected, name: "syncd", owner: "syncd", description: "", text: items.body)
        Console.print(bytes: Array(calendar.utf8))
      }
    }
  }
}

extension OrgItem {
  /// An identifier for an entry without an ID that stays the same while file and titles do.
  var stableID: String {
    let name = ([file] + path).joined(separator: "\u{1F}")
    return Digest(of: Array(name.utf8)).description.suffix(32).description
  }
}
