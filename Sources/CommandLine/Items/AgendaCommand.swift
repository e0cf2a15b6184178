import ArgumentParser
import OrgKit
import SyncDaemon
import SyncKit

/// `syncd agenda`: the entries of days, as Org's agenda shows them.
struct AgendaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agenda", abstract: "Show the agenda of today, of a week, or of a number of days.",
    discussion: """
      Shows what Org's agenda shows, in the same order: deadlines and their warnings, scheduled tasks, timestamps with \
      repeaters, ranges, diary expressions and habits with their graphs.

      EXAMPLES
        syncd agenda                  today
        syncd agenda week --from mon  the week of the next Monday
        syncd agenda 3 --tag work     three days, only entries with the tag work
        syncd agenda --log            with closed tasks and clocks
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var options: ItemOptions
  @OptionGroup var filter: AgendaFilter
  @Option(help: "First day, such as 2026-03-10, fri or +3. Default: today.")
  var from: String?
  @Flag(help: "Also show closed tasks, clocks and state changes.")
  var log = false
  @Argument(help: "day, week, fortnight, month, year, or a number of days.")
  var span = "day"

  func run() async throws {
    try await options.with(common) { items in
      guard let span = OrgAgendaSpan(Int(span).map(OrgValue.number) ?? .text(span)) else {
        throw ValidationError("\(span) is not a span; use day, week, fortnight, month, year or a number of days")
      }
      var settings = items.settings
      if log {
        settings["org-agenda-start-with-log-mode"] = .list([.symbol("closed"), .symbol("clock"), .symbol("state")])
      }
      let rows = try items.agenda(from: try from.map(items.day), span: span, settings)
      Self.print(try filter.filtered(rows), common)
    }
  }

  /// Prints rows as text or JSON.
  static func print(_ rows: [OrgAgendaRow], _ common: CommonOptions) {
    if common.json { return Console.print(json: ["version": 1, "rows": .array(rows.map { $0.json() })]) }
    Console.print(lines: rows.lazy.map { AgendaLine.text(of: $0) })
  }
}

/// `syncd stuck`: projects without a next action.
struct StuckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stuck", abstract: "List projects without a next action.",
    discussion: """
      A project is an entry of level 2 that is not done; the states TODO, NEXT and NEXTACTION below it are next actions \
      (org-stuck-projects).
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var options: ItemOptions
  @OptionGroup var filter: AgendaFilter

  func run() async throws {
    try await options.with(common) { items in
      AgendaCommand.print(try filter.filtered(try items.agenda().stuck()), common)
    }
  }
}
