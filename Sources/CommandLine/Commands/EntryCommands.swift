import ArgumentParser
import OrgKit
import SyncDaemon
import SyncKit

/// `syncd todo`: changes the task state of an entry.
struct TodoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "todo", abstract: "Change the task state of an entry.",
    subcommands: [TodoSetCommand.self, TodoCycleCommand.self])
}

/// `syncd todo set`: gives an entry a state.
struct TodoSetCommand: EntryEditing {
  static let words = "todo set"
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set the task state of an entry.",
    discussion: """
      Logs the change, moves the dates of a task with a repeater on, and updates the cookies of its parents, as Org does it. \
      Example: syncd todo set DONE notes.org::Project/Task
      """)

  @Argument(help: "State, such as DONE; an empty text removes it.") var state: String
  @Argument(help: EntryHelp.text) var entry: EntryArgument
  @OptionGroup var options: EntryOptions

  func run() async throws { try await apply(.todo(.state(state)), to: entry) }
}

/// `syncd todo cycle`: gives an entry the next state.
struct TodoCycleCommand: EntryEditing {
  static let words = "todo cycle"
  static let configuration = CommandConfiguration(
    commandName: "cycle", abstract: "Set the next task state of an entry.",
    discussion: "Example: syncd todo cycle notes.org::Project/Task --note \"waiting for paint\"")

  @Argument(help: EntryHelp.text) var entry: EntryArgument
  @OptionGroup var options: EntryOptions

  func run() async throws { try await apply(.todo(.cycle), to: entry) }
}

/// The help of an argument that names an entry.
enum EntryHelp {
  static let text: ArgumentHelp =
    "Entry: FILE::Outline/Path, FILE:LINE, id:ID, the first characters of its ID, @clock or @last."
}

/// The arguments of `syncd schedule` and `syncd deadline`.
struct DateArguments: ParsableArguments {
  @Argument(help: EntryHelp.text) var entry: EntryArgument
  @Argument(help: "Date as Org reads it, such as 'fri 10:00', +2d or 2026-03-20; or today, tomorrow, noon.") var date:
    String?
  @Flag(help: "Remove the date.") var remove = false
  @Option(name: .customLong("repeat"), help: "Repeater, such as +1w, ++1m or .+2d; an empty text removes it.")
  var repeater: String?
  @Option(help: "Warning period of a deadline or delay of a task, such as 3d; an empty text removes it.") var warn:
    String?

  func validate() throws {
    guard remove != (date != nil) else { throw ValidationError("give either a date or --remove") }
    if let date { try Self.check(date) }
    if let repeater, !repeater.isEmpty, !TypedStamp.isRepeater(repeater) {
      throw ValidationError("\(repeater) is not a repeater; write one such as +1w, ++1m or .+2d")
    }
    if let warning, !warning.isEmpty, !TypedStamp.isWarning(warning) {
      throw ValidationError("\(warn ?? "") is not a warning period; write one such as 3d")
    }
  }

  /// Throws if a word is not part of a date. Whether the day exists depends on the time of the edit.
  private static func check(_ date: String) throws(ValidationError) {
    do throws(Refusal) { _ = try TypedWords(date: date) } catch {
      let hint = date.split(separator: " ").dropFirst().contains { TypedStamp.isRepeater(String($0)) }
      throw ValidationError(error.description + (hint ? "; for a repeater, use --repeat" : ""))
    }
  }

  func change() -> OrgDateChange {
    guard let date else { return .remove }
    return .set(date, repeater: repeater, warning: warning)
  }

  /// The warning period with its sign.
  private var warning: String? { warn.map { $0.isEmpty || $0.hasPrefix("-") ? $0 : "-\($0)" } }
}

/// `syncd schedule`: schedules an entry.
struct ScheduleCommand: EntryEditing {
  static let configuration = CommandConfiguration(
    commandName: "schedule", abstract: "Schedule an entry.",
    discussion:
      "The repeater and the delay of the old date stay. Example: syncd schedule 3f2a \"fri 10:00\" --repeat ++1w")

  @OptionGroup var arguments: DateArguments
  @OptionGroup var options: EntryOptions

  func run() async throws { try await apply(.schedule(arguments.change()), to: arguments.entry) }
}

/// `syncd deadline`: sets the deadline of an entry.
struct DeadlineCommand: EntryEditing {
  static let configuration = CommandConfiguration(
    commandName: "deadline", abstract: "Set the deadline of an entry.",
    discussion:
      "The repeater and the warning period of the old date stay. Example: syncd deadline 3f2a 2026-03-31 --warn 5d")

  @OptionGroup var arguments: DateArguments
  @OptionGroup var options: EntryOptions

  func run() async throws { try await apply(.deadline(arguments.change()), to: arguments.entry) }
}

/// `syncd tag`: adds and removes tags.
struct TagCommand: EntryEditing {
  static let configuration = CommandConfiguration(
    commandName: "tag", abstract: "Add and remove tags of an entry.", discussion: "Example: syncd tag 3f2a +home -work")

  @Argument(help: EntryHelp.text) var entry: EntryArgument
  @Argument(parsing: .allUnrecognized, help: "Tags: +TAG adds one, -TAG removes it.") var tags: [String]
  @OptionGroup var options: EntryOptions

  func run() async throws {
    let removed = tags.filter { $0.hasPrefix("-") }.map { String($0.dropFirst()) }
    let added = tags.filter { !$0.hasPrefix("-") }.map { $0.hasPrefix("+") ? String($0.dropFirst()) : $0 }
    guard !tags.isEmpty else { throw ValidationError("give at least one tag, such as +home") }
    try await apply(.tags(.change(add: added, remove: removed)), to: entry)
  }
}

/// `syncd priority`: changes the priority of an entry.
struct PriorityCommand: EntryEditing {
  static let configuration = CommandConfiguration(
    commandName: "priority", abstract: "Change the priority of an entry.", discussion: "Example: syncd priority 3f2a A")

  @Argument(help: EntryHelp.text) var entry: EntryArgument
  @Argument(help: "Letter or number, up, down, or none.") var priority: String
  @OptionGroup var options: EntryOptions

  func run() async throws {
    let change: OrgPriorityChange =
      switch priority {
      case "up": .up
      case "down": .down
      case "none": .set("")
      default: .set(priority)
      }
    try await apply(.priority(change), to: entry)
  }
}

/// `syncd property`: sets or removes a property.
struct PropertyCommand: EntryEditing {
  static let configuration = CommandConfiguration(
    commandName: "property", abstract: "Set or remove a property of an entry.",
    discussion: "Example: syncd property 3f2a EFFORT 0:30")

  @Argument(help: EntryHelp.text) var entry: EntryArgument
  @Argument(help: "Name of the property.") var name: String
  @Argument(help: "Value; without it, the property is removed.") var value: String?
  @OptionGroup var options: EntryOptions

  func run() async throws {
    try await apply(.property(value.map { .set(name, $0) } ?? .delete(name)), to: entry)
  }
}

/// `syncd note`: adds a note to the log of an entry.
struct NoteCommand: EntryEditing {
  static let configuration = CommandConfiguration(
    commandName: "note", abstract: "Add a note to the log of an entry.",
    discussion: "Example: syncd note 3f2a \"called, no answer\"")

  @Argument(help: EntryHelp.text) var entry: EntryArgument
  @Argument(help: "Text of the note; `-` reads it from standard input.") var text: String
  @OptionGroup var options: EntryOptions

  func run() async throws {
    let (selector, text) = (try selector(entry), text == "-" ? StandardInput.text() : text)
    guard text.contains(where: { !$0.isWhitespace }) else { throw ValidationError("the note has no text") }
    try await run { files, context throws(Refusal) in
      var context = context
      context.notes = [.text(text)]
      return try selector.apply(.note, in: &files, context)
    }
  }
}

/// `syncd title`: changes the title of an entry.
struct TitleCommand: EntryEditing {
  static let configuration = CommandConfiguration(
    commandName: "title", abstract: "Change the title of an entry.",
    discussion: "Example: syncd title 3f2a \"Call the plumber\"")

  @Argument(help: EntryHelp.text) var entry: EntryArgument
  @Argument(help: "New title.") var title: String
  @OptionGroup var options: EntryOptions

  func validate() throws { try validateTitle(title) }

  func run() async throws { try await apply(.title(title), to: entry) }
}

/// Throws a usage error if a title has no text: the entry could not be found by it.
func validateTitle(_ title: String) throws(ValidationError) {
  guard title.contains(where: { !$0.isWhitespace }) else { throw ValidationError("the title has no text") }
}

/// `syncd check`: ticks a checkbox.
struct CheckCommand: EntryEditing {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Tick the checkbox of a list item, or empty it.",
    discussion: "Example: syncd check shop.org::List milk")

  @Argument(help: EntryHelp.text) var entry: EntryArgument
  @Argument(help: "Beginning of the item's text.") var item: String
  @Flag(help: "Add a checkbox, or remove it.") var box = false
  @OptionGroup var options: EntryOptions

  func run() async throws {
    let (selector, item, change) = (try selector(entry), item, box ? OrgCheckboxChange.add : .toggle)
    try await run { files, context throws(Refusal) in
      try selector.apply(.checkbox(change), item: item, in: &files, context)
    }
  }
}
