import ArgumentParser
import OrgKit
import SyncDaemon
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `syncd review`: decide about the entries of the inbox, and pick the tasks of today.
struct ReviewCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "review", abstract: "Decide about each entry of the inbox, and pick the tasks of today.",
    discussion: """
      On a terminal, it shows the entries of the inbox one at a time and asks for a decision: next action, project, schedule, \
      refile, archive, drop or later. It lists the projects without a next action and the tasks that wait (states WAIT and WAITING), asks which of the tasks that are due you want to do today, gives them the priority \
      A, and shows the first one. It counts the days in a row on which you completed the review. Elsewhere, it lists the entries.

      EXAMPLES
        syncd review          review the inbox
        syncd review --list   only list what it would ask
        syncd review --done   count today's review as completed
      """)

  @OptionGroup var common: CommonOptions
  @OptionGroup var options: ItemOptions
  @Flag(help: "Only list the entries.") var list = false
  @Flag(help: "Count today's review as completed, without questions.") var done = false

  func validate() throws {
    guard !(list && done) else { throw ValidationError("give only one of --list and --done") }
  }

  func run() async throws {
    let configuration = try common.configuration()
    let state = StateFolder(path: configuration.stateFolder)
    if done { try state.recordReview(on: try StoreItems.moment(options.at).day) }
    guard common.json || list || done || !Console.errorIsTerminal else {
      return try await ReviewDialog(configuration, common, options).run()
    }
    try await options.with(common) { items in
      let steps = try ReviewSteps(items, inbox: configuration.store.settings.inbox)
      report(steps, try state.reviewDays(), items.now.day)
    }
  }

  private func report(_ steps: ReviewSteps, _ days: ReviewDays, _ today: OrgDay) {
    if common.json {
      return Console.print(json: [
        "version": 1, "inbox": Self.json(steps.inbox), "stuck": Self.json(steps.stuck),
        "waiting": Self.json(steps.waiting),
        "picks": Self.json(steps.picks), "picked": Self.json(steps.picks.filter(\.isPicked)),
        "done": .boolean(days.contains(today)), "streak": .integer(days.streak(on: today)),
      ])
    }
    if common.quiet { return }
    Self.print("inbox: \(steps.inbox.count.counted("entry", "entries"))", steps.inbox)
    Self.print("stuck: \(steps.stuck.count.counted("project"))", steps.stuck)
    Self.print("waiting: \(steps.waiting.count.counted("task"))", steps.waiting)
    Self.print("today: \(steps.picks.count.counted("task"))", steps.picks)
    Console.print(ReviewDialog.streak(days, today))
  }

  private static func json(_ items: [OrgItem]) -> JSON { .array(items.map(\.json)) }

  private static func print(_ title: String, _ items: [OrgItem]) {
    Console.print(title)
    for item in items { Console.print("  \(ItemList.line(item))") }
  }
}
