import ArgumentParser
import OrgKit
import SyncDaemon
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The review on a terminal.
struct ReviewDialog {
  private let configuration: DaemonConfiguration
  private let common: CommonOptions
  private let options: ItemOptions

  init(_ configuration: DaemonConfiguration, _ common: CommonOptions, _ options: ItemOptions) {
    (self.configuration, self.common, self.options) = (configuration, common, options)
  }

  /// The days in a row as a sentence.
  static func streak(_ days: ReviewDays, _ today: OrgDay) -> String {
    "reviewed \(days.streak(on: today).counted("day")) in a row" + (days.contains(today) ? "" : ", and not yet today")
  }

  func run() async throws {
    let unread = try await readable().unread
    for line in unread { Console.error(line) }
    guard try await decide() else {
      return Console.print("the review is not completed; `syncd review` continues it")
    }
    try await list()
    try await pick()
    let (items, steps) = try await read()
    let state = StateFolder(path: configuration.stateFolder)
    try state.recordReview(on: items.now.day)
    if let first = steps.picks.first(where: \.isPicked) { Console.print("begin with: \(first.headline)") }
    Console.print(Self.streak(try state.reviewDays(), items.now.day))
    guard unread.isEmpty else { throw ExitCode(PassResult.failed.exitStatus) }
  }

  private func read() async throws -> (items: StoreItems, steps: ReviewSteps) { try await readable().value }

  private func readable() async throws -> (value: (items: StoreItems, steps: ReviewSteps), unread: [String]) {
    try await options.readable(common) { ($0, try ReviewSteps($0, inbox: configuration.store.settings.inbox)) }
  }

  /// Shows the projects and tasks that do not advance.
  private func list() async throws {
    let steps = try await read().steps
    for (title, items) in [("stuck projects", steps.stuck), ("waiting", steps.waiting)] where !items.isEmpty {
      Console.error("\n\(title):")
      for item in items { Console.error("  \(ItemList.line(item).printableLine)") }
    }
  }

  /// Asks about each entry of the inbox; returns false if the person quits.
  private func decide() async throws -> Bool {
    var later: Set<[String]> = []
    while true {
      // Read again for each entry, because the last decision has moved lines.
      let (items, steps) = try await read()
      let rest = steps.inbox.filter { !later.contains($0.path) }
      guard let item = rest.first else { return true }
      Console.error("\n\(rest.count.counted("entry", "entries")) to decide on\n  \(item.headline.printableLine)")
      for line in items.body(item).split(separator: "\n").prefix(10) {
        Console.error("    \(String(line).printableLine)")
      }
      guard let decision = ask() else { return false }
      switch decision {
      case .quit: return false
      case .later: later.insert(item.path)
      // After a refusal, the entry is still the first one, and is asked about again.
      default: try await carryOut(decision, on: item, items.settings)
      }
    }
  }

  /// Asks until the answer is a decision; nil at the end of the input.
  private func ask() -> ReviewDecision? {
    while true {
      Console.error(ReviewDecision.question, terminator: "")
      guard let line = readLine() else { return nil }
      do throws(Refusal) { return try ReviewDecision(line) } catch { Console.error(error.description) }
    }
  }

  /// Changes the entry, or says why not.
  private func carryOut(_ decision: ReviewDecision, on item: OrgItem, _ settings: OrgSettings) async throws {
    try await edit(decision.words, settings) { files, context throws(Refusal) in
      try decision.apply(to: item, in: &files, context, readWith: settings)
    }
  }

  private func edit(
    _ words: String, _ settings: OrgSettings,
    _ body: @escaping @Sendable (inout OrgFileSet, OrgContext) throws(Refusal) -> [OrgEffect]
  ) async throws {
    let now = try StoreItems.moment(options.at)
    var context = OrgContext(now: now, zone: .local, settings: settings) { UUID().uuidString.lowercased() }
    context.refusesUnclearDates = true
    let edit = try ItemEdit(configuration, command: "syncd review: \(words)")
    do {
      _ = try await edit.run { [context] files throws(Refusal) in try body(&files, context) }
    } catch let refusal as Refusal {
      Console.error("syncd: \(refusal.description); nothing was changed")
    } catch let lock as EditorLock {
      Console.error("syncd: \(lock.path) has unsaved changes in an editor (\(lock.owner)); nothing was changed")
    }
  }

  /// Asks which tasks to do today, and gives them the highest priority.
  private func pick() async throws {
    let (items, steps) = try await read()
    guard !steps.picks.isEmpty else { return }
    Console.error("\nwhich of these do you want to do today?")
    for (number, item) in steps.picks.enumerated() {
      Console.error("  \(number + 1)  \(item.headline.printableLine)  (\(item.file.printableLine))")
    }
    guard let numbers = askNumbers(upTo: steps.picks.count) else { return }
    let (chosen, settings) = (numbers.map { steps.picks[$0 - 1] }, items.settings)
    try await edit("pick", settings) { files, context throws(Refusal) in
      var effects: [OrgEffect] = []
      // A priority moves no lines.
      for item in chosen where !item.isPicked {
        let place = try item.unchangedPlace(in: &files, settings)
        effects += try OrgKit.apply(.priority(.set(ReviewSteps.pick)), to: place, in: &files, context)
      }
      return effects
    }
  }

  /// Asks for numbers until all are in the list; nil for none.
  private func askNumbers(upTo count: Int) -> [Int]? {
    while true {
      Console.error("numbers, or nothing? [1-\(count)] ", terminator: "")
      guard let line = readLine(), !line.isEmpty else { return nil }
      let words = line.split { $0 == " " || $0 == "," }.map { Int($0) ?? 0 }
      if words.allSatisfy({ 1...count ~= $0 }) { return words }
      Console.error("type numbers from 1 to \(count), such as 1 3, or only the Enter key")
    }
  }
}
