import ArgumentParser
import OrgKit
import SyncDaemon
import SyncKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The options of every command that edits entries.
struct EditOptions: ParsableArguments {
  @Option(help: "Time of the edit, such as '2026-03-10 14:30'. Default: now.") var at: WallTime?
  @Option(help: "Wait this long, such as 30s, for an editor to save the file.") var wait: TimeLimit?
  @Option(help: "Note for the log; give it once for each note that Org asks for.") var note: [String] = []
  @Option(help: "Answer to a question that Org asks; give it once for each question.") var answer: [String] = []

  /// True if one of the options that only Org's commands have was given.
  var describesCommand: Bool { at != nil || !note.isEmpty || !answer.isEmpty }
  /// How long to wait for an editor.
  var patience: Duration { wait?.duration ?? .zero }
}

/// The options of a command that edits entries.
struct EntryOptions: ParsableArguments {
  @OptionGroup var plan: DryRunOption
  @OptionGroup var edit: EditOptions
  @OptionGroup var common: CommonOptions
}

/// A wall time on the command line.
struct WallTime: ExpressibleByArgument {
  let moment: OrgMoment

  init?(argument: String) {
    guard let moment = OrgMoment(argument) else { return nil }
    self.moment = moment
  }
}

/// An entry on the command line.
struct EntryArgument: ExpressibleByArgument, Sendable {
  let selector: ItemSelector

  init?(argument: String) {
    guard let selector = ItemSelector(argument) else { return nil }
    self.selector = selector
  }
}

/// A command that edits entries: it names its verb, and the rest is the same for all.
protocol EntryEditing: AsyncParsableCommand, DryRunning {
  /// The words of the command, for the history.
  static var words: String { get }

  var options: EntryOptions { get }
}

extension EntryEditing {
  private var common: CommonOptions { options.common }
  private var plan: DryRunOption { options.plan }
  private var edit: EditOptions { options.edit }

  static var words: String { configuration.commandName ?? "" }

  /// Applies a verb to an entry, writes the changed files and prints what happened.
  func apply(_ verb: OrgVerb, to entry: EntryArgument) async throws {
    let selector = try selector(entry)
    try await run { files, context throws(Refusal) in try selector.apply(verb, in: &files, context) }
  }

  /// Returns the selector of an argument, with the entry that `@last` means.
  func selector(_ entry: EntryArgument) throws -> ItemSelector {
    try entry.selector.resolved(in: StateFolder(path: common.configuration().stateFolder))
  }

  /// Changes files in one step and prints what happened.
  func run(
    _ body: @escaping @Sendable (inout OrgFileSet, OrgContext) throws(Refusal) -> [OrgEffect]
  ) async throws {
    let configuration = try common.configuration()
    let context = try await context(configuration)
    let item = try ItemEdit(configuration, command: "syncd \(Self.words)", patience: edit.patience)
    do {
      let change: ItemEdit.Body = { files throws(Refusal) in try body(&files, context) }
      let result = plan.dryRun ? try item.preview(change) : try await item.run(change)
      if !plan.dryRun { LastEntry.record(in: configuration) { result.lastEntry } }
      EditReport(result, isDryRun: plan.dryRun, common: common).print()
    } catch let refusal as Refusal {
      Console.error("syncd: \(refusal.description)\(Self.remedy(for: refusal))")
      throw ExitCode(refusal.kind == .notFound ? 4 : 2)
    } catch let lock as EditorLock {
      throw lock.reported()
    }
  }

  private static func remedy(for refusal: Refusal) -> String {
    switch refusal.kind {
    case .question: refusal.description.contains("note") ? "; give it with --note" : "; answer it with --answer"
    case .conflict: "; resolve it in an editor or with `syncd resolve`"
    default: ""
    }
  }

  /// The circumstances of the edit, with the states by which the commands that list entries read them.
  private func context(_ configuration: DaemonConfiguration) async throws -> OrgContext {
    let now = edit.at?.moment ?? OrgZone.local.moment(at: Int(Date().timeIntervalSince1970))
    var context = OrgContext(
      now: now, zone: .local, settings: try await OrgVariables.effective(configuration), answers: edit.answer,
      notes: edit.note.map(OrgNote.text)
    ) { UUID().uuidString.lowercased() }
    context.userName = ProcessInfo.processInfo.environment["USER"] ?? ""
    context.refusesUnclearDates = true
    return context
  }
}

extension EditorLock {
  /// Says that an editor has unsaved changes, and returns the exit status.
  func reported() -> ExitCode {
    Console.error("syncd: \(path) has unsaved changes in an editor (\(owner)); save it there, or use --wait 30s")
    return ExitCode(10)
  }
}

/// What an edit changed, for people or programs.
struct EditReport {
  private let result: ItemEdit.Result
  private let isDryRun: Bool
  private let common: CommonOptions

  init(_ result: ItemEdit.Result, isDryRun: Bool, common: CommonOptions) {
    (self.result, self.isDryRun, self.common) = (result, isDryRun, common)
  }

  func print() {
    if common.json { return Console.print(json: json) }
    if common.quiet { return }
    if result.changes.isEmpty { Console.print("nothing to change") }
    for change in result.changes {
      guard isDryRun else {
        Console.print("changed \(change.path)")
        continue
      }
      Console.print("\(change.path):")
      for line in LineDiff(from: change.old ?? [], to: change.new).description.split(separator: "\n") {
        Console.print("  \(line)")
      }
    }
    for hint in hints { Console.print("hint: \(hint)") }
  }

  private var hints: [String] {
    result.effects.compactMap { if case .hint(let text) = $0 { text } else { nil } }
  }

  private var json: JSON {
    [
      "version": 1, "dryRun": .boolean(isDryRun),
      "files": .array(
        result.changes.map {
          ["path": .string($0.path.description), "digest": .string(Digest(of: $0.new).description)]
        }),
      "hints": .array(hints.map(JSON.string)),
      "entry": result.effects.lazy.compactMap(Self.entry).first ?? .null,
    ]
  }

  /// The place of an entry after the change.
  private static func entry(_ effect: OrgEffect) -> JSON? {
    guard case .entry(let file, let line) = effect else { return nil }
    return ["file": .string(file), "line": .integer(line)]
  }
}
